#include "firn/study/failure_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "firn/base/file.h"

namespace firn::study {

namespace fs = std::filesystem;

fs::path FailureLog::file_of(const fs::path& place, std::uint64_t number) const {
  return folder_ / (place.string() + fmt::format(".{}", number));
}

FailureLog::Summary FailureLog::of(const fs::path& place) const {
  Summary summary;
  std::uint64_t last = 0;
  const std::string opening = place.filename().string() + ".";
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / place.parent_path(), missing)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(opening)) continue;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + opening.size(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) continue;  // a name that begins like this one
    ++summary.count;
    last = std::max(last, number);
  }
  if (summary.count == 0) return summary;
  summary.last = read_text(file_of(place, last));
  if (summary.last.ends_with('\n')) summary.last.pop_back();
  return summary;
}

bool FailureLog::has(const Attempt& attempt) const {
  return fs::exists(file_of(attempt.place, attempt.number));
}

void FailureLog::add(const Attempt& attempt, const std::string& error) const {
  const fs::path file = file_of(attempt.place, attempt.number);
  std::error_code reported_by_writing;
  fs::create_directories(file.parent_path(), reported_by_writing);
  write_file(file, error + "\n");
}

void FailureLog::forget() const {
  std::error_code missing;
  fs::remove_all(folder_, missing);
}

}  // namespace firn::study
