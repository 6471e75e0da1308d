// Pruning by data as a workflow: the training examples of a checkpoint decide, and the others tell what it cost.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/threads.h"
#include "firn/infer/prune.h"
#include "firn/study/compile_checkpoint.h"

namespace firn::study {

// How the pruned circuit compares with the exact one on examples that it was not pruned with.
struct PruneAgreement {
  std::string_view part;  // "validation" or "test"
  std::size_t examples = 0;
  std::size_t alike = 0;    // predictions that both make
  bool has_classes = true;  // else values are predicted, and none of them is right or wrong
  std::size_t right_before = 0, right_after = 0;
};

struct PruneReport {
  PruneStats stats;
  std::size_t examples = 0;  // of the training split
  std::vector<PruneAgreement> agreements;
  std::vector<std::filesystem::path> files = {};  // that the data were read from
  std::optional<std::string> warning = {};        // the data are not those that the checkpoint knows
};

// Replaces the netlist and the machine of what the checkpoint was compiled to. An Error where it has none.
PruneReport prune_circuit(CompiledCircuit& compiled, const std::filesystem::path& checkpoint,
                          const std::string& data_root, Threads& threads, const Parts& parts = standard_parts());

}  // namespace firn::study
