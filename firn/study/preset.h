// Finds the configuration that a user names: a file, or a preset of configs/.
#pragma once

#include <filesystem>
#include <string>

namespace firn {

// `name` itself if it is a file; else configs/NAME.toml here, or beside the build or installation of the program.
std::filesystem::path preset_file(const std::string& name);

}  // namespace firn
