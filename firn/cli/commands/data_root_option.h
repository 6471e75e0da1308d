// The option --data-root, which every command that reads data has.
#pragma once

#include <cstdlib>
#include <string>

#include "firn/cli/options.h"
#include "firn/data/source.h"

namespace firn::cli {

class DataRootOption {
 public:
  void add_to(Options& options) {
    options.add("--data-root", folder_, "Folder that holds data sets; else $FIRN_DATA, else ./data")
        .type_name("FOLDER");
  }
  std::string resolve() const { return resolve_data_root(folder_, std::getenv("FIRN_DATA")); }

 private:
  std::string folder_;
};

}  // namespace firn::cli
