// Pruning by data, for whole models: what samples never show a gate, the circuit need not know.
#pragma once

#include <cstddef>

#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"

namespace firn::infer {

struct PruneStats {
  std::size_t gates_before = 0, gates_after = 0;
  std::size_t unvisited = 0;  // rows of gates before, of 4 gates_before
};

// Gives the model a netlist that computes the same for each of the samples, and most likely not for all others: see
// circuit/unvisited.h. The layers of the model stay what they were. An Error where there are no samples.
PruneStats prune_unvisited(CircuitModel& model, const Examples& samples);

}  // namespace firn::infer
