#include "firn/api/check.h"

#include <filesystem>

#include "firn/study/check.h"

namespace firn::api {

CheckReport check(const std::vector<std::string>& names) {
  const std::vector<std::filesystem::path> paths(names.begin(), names.end());
  study::CheckResult found = study::check_files(paths);
  CheckReport report{.files = {}, .recovery = std::move(found.recovery), .is_sound = found.is_sound()};
  for (const study::CheckedFile& f : found.files)
    report.files.push_back({f.file.string(), std::string(study::name_of(f.state)), f.about});
  return report;
}

}  // namespace firn::api
