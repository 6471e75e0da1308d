// The state of a refinement between sweeps as a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "firn/refine/refiner.h"

namespace firn::study {

// `identity` says what the state belongs to: checkpoint, examples and settings.
void save_refine_state(const std::filesystem::path& path, const RefineState& state, const std::string& identity);

// Nothing where there is no file, or one that belongs to something else.
std::optional<RefineState> load_refine_state(const std::filesystem::path& path, const std::string& identity);

}  // namespace firn::study
