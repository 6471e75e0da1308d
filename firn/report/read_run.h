// A run folder as a record: configuration, curves, freezes and test scores.
#pragma once

#include <filesystem>

#include "firn/report/records.h"

namespace firn::report {

// True for a folder that `firn train` has begun to fill.
bool is_run_folder(const std::filesystem::path& folder);

// Whatever is not there yet stays empty, and a line that is still being written does not count, so that a run can be
// read while it goes on. A damaged file is an Error.
RunRecord read_run(const std::filesystem::path& folder);

}  // namespace firn::report
