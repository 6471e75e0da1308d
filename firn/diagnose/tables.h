// A diagnosis as files: a tidy table for every part, one row per neuron or per slot of a neuron.
#pragma once

#include <filesystem>

#include "firn/diagnose/diagnosis.h"

namespace firn::diagnose {

// effects.csv, locality.csv, heldout.csv, gaps.csv and gates.csv, as far as the parts were measured; each file appears
// whole.
void write_tables(const Diagnosis& diagnosis, const Mixtures& mixtures, const std::filesystem::path& folder);

}  // namespace firn::diagnose
