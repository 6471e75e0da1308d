#include "firn/report/read_sweep.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>

#include "firn/base/folder_name.h"
#include "firn/report/read_run.h"
#include "firn/report/table_file.h"

namespace firn::report {

namespace fs = std::filesystem;

namespace {

// What workers are training: NAME.N, where the highest number counts.
constexpr const char* kAttempts = "attempts/runs";

bool is_attempt(const fs::path& run) {
  return run.parent_path().parent_path().filename() == "attempts";
}

std::uint64_t attempt_number(const fs::path& run) {
  const std::string name = folder_name(run);
  return std::strtoull(name.c_str() + (name.rfind('.') + 1), nullptr, 10);  // npos + 1 is 0
}

}  // namespace

std::string run_name(const fs::path& run) {
  const std::string name = folder_name(run);
  return is_attempt(run) ? name.substr(0, name.rfind('.')) : name;
}

std::vector<fs::path> sweep_runs(const fs::path& folder) {
  std::map<std::string, fs::path> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder / "runs", missing))
    if (is_run_folder(entry.path())) found[run_name(entry.path())] = entry.path();
  for (const auto& entry : fs::directory_iterator(folder / kAttempts, missing)) {
    if (!is_run_folder(entry.path())) continue;
    const auto [known, is_new] = found.try_emplace(run_name(entry.path()), entry.path());
    const bool is_older = is_attempt(known->second) ? attempt_number(entry.path()) < attempt_number(known->second)
                                                    : fs::exists(known->second / "result.json");
    if (!is_older) known->second = entry.path();
  }
  std::vector<fs::path> paths;
  for (const auto& [name, path] : found) paths.push_back(path);
  return paths;
}

SweepRecord read_sweep(const fs::path& folder, std::span<const fs::path> runs, std::size_t first) {
  SweepRecord sweep;
  sweep.folder = folder.string();
  sweep.name = folder_name(folder);
  // A row of the grid names a run; it is looked up among the folders that are there and never used as a path.
  std::map<std::string, std::size_t, std::less<>> run_by_name;
  for (const fs::path& run : runs) {
    run_by_name[run_name(run)] = first + sweep.runs.size();
    sweep.runs.push_back(first + sweep.runs.size());
  }
  if (!fs::exists(folder / "runs.csv")) return sweep;
  const TableFile table(folder / "runs.csv");
  const std::size_t name = table.column("run");  // the axes come before it
  sweep.axes.assign(table.columns().begin(), table.columns().begin() + static_cast<std::ptrdiff_t>(name));
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto run = run_by_name.find(table.text(r, name));
    if (run == run_by_name.end()) continue;  // its folder was removed
    PointRecord& point = sweep.points.emplace_back(PointRecord{{}, run->second});
    for (std::size_t a = 0; a < name; ++a) point.values.emplace_back(table.text(r, a));
  }
  return sweep;
}

}  // namespace firn::report
