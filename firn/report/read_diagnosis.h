// A diagnose folder as a record: the summary, and the neurons behind it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "firn/report/records.h"

namespace firn::report {

// True for a folder that `firn diagnose` has written.
bool is_diagnose_folder(const std::filesystem::path& folder);

// The folder itself and, for a diagnosis of many checkpoints, the folders of each, by name.
std::vector<std::filesystem::path> diagnose_folders(const std::filesystem::path& folder);

// At most about `max_neurons` neurons are kept, evenly spread over the table. Refuses files that `firn diagnose` did
// not write.
DiagnosisRecord read_diagnosis(const std::filesystem::path& folder, std::size_t max_neurons);

}  // namespace firn::report
