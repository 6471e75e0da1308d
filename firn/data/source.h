// The family of data sources: one table of names, each with the function that loads it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

struct Source {
  std::string_view name;     // what users type as data.source
  std::string_view summary;  // one line for listings
  Dataset (*load)(const DataSettings& settings);
  bool is_named = false;  // the name says which data; else they are the user's
};

std::span<const Source> sources();

// Loads what the settings name and crops it if they ask for it.
Dataset load_dataset(const DataSettings& settings);

// Where data live: the option, else the environment variable FIRN_DATA (null when unset), else ./data.
std::string resolve_data_root(std::string_view option, const char* environment);

}  // namespace firn::data
