// Which files data are read from, for whoever must not write over them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/settings.h"

namespace firn::data {

// What load_dataset() reads: with arrays their labels, of folders every image. Files need not exist; those that are
// missing are reported by whoever reads them.
std::vector<std::filesystem::path> data_files(const DataSettings& settings);

// The same of read_samples().
std::vector<std::filesystem::path> sample_files(const std::string& path, std::string_view reader = "");

}  // namespace firn::data
