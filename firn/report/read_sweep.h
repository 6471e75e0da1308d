// A sweep folder as a record: its runs and the grid they stand for.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "firn/report/records.h"

namespace firn {

// True for a folder that `firn sweep` has begun to fill.
bool is_sweep_folder(const std::filesystem::path& folder);

// The folders of the runs, by name.
std::vector<std::filesystem::path> sweep_runs(const std::filesystem::path& folder);

// The grid of a sweep whose runs, in the order of sweep_runs(), are runs[first], runs[first + 1], ... of the report. A
// sweep that is not finished has no grid yet.
SweepRecord read_sweep(const std::filesystem::path& folder, std::size_t first);

}  // namespace firn
