// A sweep folder as a record: its runs and the grid they stand for.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "firn/report/records.h"

namespace firn::report {

// The folders of the runs, by name, among them those that workers are training; none where `firn sweep` has not begun
// to fill the folder.
std::vector<std::filesystem::path> sweep_runs(const std::filesystem::path& folder);

// What a run is called whose folder was found by sweep_runs().
std::string run_name(const std::filesystem::path& run);

// The grid of a sweep whose runs, found by sweep_runs(), are runs[first], runs[first + 1], ... of the report. They are
// given and not looked for again, because a sweep that goes on adds some. One that is not finished has no grid yet.
SweepRecord read_sweep(const std::filesystem::path& folder, std::span<const std::filesystem::path> runs,
                       std::size_t first);

}  // namespace firn::report
