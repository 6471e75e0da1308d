// Input files as bytes in memory, plain or gzipped, with errors that name the file and the way out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace firn::data {

// Reads `path`, or where only `path`.gz exists unpacks that. `advice` is what the user can do when neither is there.
std::string read_plain_or_gz(const std::filesystem::path& path, std::string_view advice);

// Unpacks one gzip stream; refuses one that is cut, damaged, followed by other bytes, or longer than `limit` unpacked.
inline constexpr std::size_t kGunzipLimit = std::size_t{1} << 32;
std::string gunzip(std::string_view bytes, const std::string& name, std::size_t limit = kGunzipLimit);

// A path that the user typed: taken as it stands, and where nothing is there, below the data root.
std::filesystem::path find_input(const std::string& file, const std::filesystem::path& root);

}  // namespace firn::data
