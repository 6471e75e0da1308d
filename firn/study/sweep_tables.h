// The results of a sweep as files: every point of its grid, and tables that compare what varies.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "firn/study/aggregate.h"
#include "firn/study/sweep_file.h"
#include "firn/train/test_result.h"

namespace firn::study {

// Discrete test accuracy in percent. Rows are the strategies, or the first axis that varies; columns what else varies,
// but for the seeds, which repeat.
struct SweepTables {
  Comparison last, best;  // at the last step, and at the step that was best on the validation set
};

// An ArgumentError where these files would replace the description of the sweep, or its data.
void check_sweep_tables(const std::filesystem::path& folder, const std::filesystem::path& description,
                        const SweepFile& file, const std::string& data_root);

using SweepResults = std::span<const std::optional<TestResult>>;  // one for each run

// Of the runs that have a result. Writes runs.csv, one row for each point of the grid; and, where there is a result,
// table and best as .txt, .csv, .md and .tex.
SweepTables write_sweep_tables(const SweepFile& file, SweepResults results, const std::filesystem::path& folder);

// The same where others, on other machines, may be writing the same tables: each file is made in the folder of
// `worker`, which shows that it lives meanwhile, and moved.
SweepTables share_sweep_tables(const SweepFile& file, SweepResults results, const std::filesystem::path& folder,
                               const std::string& worker);

}  // namespace firn::study
