// What ranks must have in common before they train together, and what one of them reads for all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "firn/base/ranks.h"
#include "firn/data/fingerprint.h"
#include "firn/train/checkpoint.h"

namespace firn::training {

// Compares what results depend on to the last bit: the version of Firn, the SIMD target, the configuration as it is
// stored, the data, and the teacher's fingerprint. Throws an Error that names the first rank that differs from most of
// the others, and says in what.
void check_same_ground(const std::string& config, const Fingerprints& data, Ranks& ranks,
                       const std::string& teacher = "");

// Reads a checkpoint on rank 0, which alone needs to see the file, for all ranks.
Checkpoint read_for_all(const std::filesystem::path& file, Ranks& ranks);
// The checkpoint that rank 0 has in hand, for all ranks.
std::optional<Checkpoint> pass_to_all(const std::optional<Checkpoint>& checkpoint, Ranks& ranks);

}  // namespace firn::training
