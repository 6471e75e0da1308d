// A first configuration for somebody's own data: looks at a file or folder and writes TOML that trains at once.
#pragma once

#include <string>

#include "firn/base/rooms.h"
#include "firn/data/settings.h"

namespace firn::study {

struct InitParams {
  std::string data = {};  // a CSV file, another table, .npy, .npz or a folder of images
  std::string test_data =
      {};                  // a test set of the same kind; empty: none, or what lies beside a folder's training images
  std::string label = {};  // the label column of a table; empty: the source's default
  std::string layout = "auto";  // of arrays of images
  std::string data_root = {};
};

// What the name and the kind of the file say about how to read it.
DataSettings data_settings_for(const InitParams& params);

// The configuration, every choice with its reason. Reads the data.
std::string init_config(const InitParams& params);

}  // namespace firn::study
