#include "firn/study/output_folder.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "firn/base/error.h"

namespace firn::study {

namespace fs = std::filesystem;

// The constructor that it delegates to has made an object, whose destructor also runs after an error.
OutputFolder::Made::Made(const fs::path& folder) : Made() {
  constexpr int kMostTries = 10;  // one that gives up at this moment may remove a folder on the way
  std::error_code error = make(folder);
  for (int tries = 1; error == std::errc::no_such_file_or_directory && tries < kMostTries; ++tries)
    error = make(folder);
  if (error)
    throw Error(fmt::format("cannot make the folder {}: {}; choose another", folder.string(), error.message()));
}

std::error_code OutputFolder::Made::make(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path path = folder; !path.empty() && !fs::exists(path, error); path = path.parent_path())
    missing.push_back(path);
  for (; !missing.empty(); missing.pop_back()) {
    if (fs::create_directory(missing.back(), error)) folders_.push_back(missing.back());
    if (error) return error;
  }
  return fs::is_directory(folder, error) ? std::error_code() : std::make_error_code(std::errc::not_a_directory);
}

OutputFolder::Made::~Made() {
  std::error_code is_filled;
  for (; !folders_.empty(); folders_.pop_back()) fs::remove(folders_.back(), is_filled);
}

std::optional<OutputFolder> open_on_first_rank(const fs::path& folder, const std::function<bool()>& wait,
                                               Ranks& ranks) {
  std::uint8_t is_waiting = 1;
  const auto tell = [&] { ranks.broadcast(std::as_writable_bytes(std::span(&is_waiting, 1))); };
  std::optional<OutputFolder> opened;
  if (ranks.is_first()) {
    opened.emplace(folder, [&] {
      if (!wait || !wait()) return false;
      tell();
      return true;
    });
    is_waiting = 0;
    tell();
  } else {
    while (is_waiting != 0) tell();
  }
  return opened;
}

}  // namespace firn::study
