#include "firn/report/read_sweep.h"

#include <algorithm>
#include <functional>
#include <map>

#include "firn/base/folder_name.h"
#include "firn/report/read_run.h"
#include "firn/report/table_file.h"

namespace firn::report {

namespace fs = std::filesystem;

std::vector<fs::path> sweep_runs(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder / "runs")) return found;
  for (const auto& entry : fs::directory_iterator(folder / "runs"))
    if (is_run_folder(entry.path())) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

SweepRecord read_sweep(const fs::path& folder, std::span<const fs::path> runs, std::size_t first) {
  SweepRecord sweep;
  sweep.folder = folder.string();
  sweep.name = folder_name(folder);
  // A row of the grid names a run; it is looked up among the folders that are there and never used as a path.
  std::map<std::string, std::size_t, std::less<>> run_by_name;
  for (const fs::path& run : runs) {
    run_by_name[run.filename().string()] = first + sweep.runs.size();
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
