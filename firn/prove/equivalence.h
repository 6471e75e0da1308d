// Are two circuits the same function? Found out by structure, by simulation and by proof (SAT), and said exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::prove {

struct EquivalenceSettings {
  std::uint64_t seed = 1;            // of the random patterns
  std::size_t patterns = 4096;       // that are simulated before anything is proved; rounded up to whole words
  int merge_conflicts = 200;         // effort for each pair of inner nodes that look equal
  int output_conflicts = 1'000'000;  // effort for each pair of outputs
  // Equal gates are shared and inner nodes merged before outputs are proved. Without it every output is left to the
  // solver, gate by gate as the circuits are: slower, and independent of whatever else knows how to simplify.
  bool sharing = true;
};

struct Equivalence {
  std::size_t by_structure = 0;  // outputs that became the same wire when equal gates were shared
  std::size_t by_proof = 0;      // outputs proved by SAT
  std::size_t unknown = 0;       // outputs for which the effort was not enough; simulation found no difference
  std::size_t patterns = 0;      // that were simulated
  // A difference that was found, by simulation or by SAT.
  struct Difference {
    std::size_t output;
    std::vector<bool> inputs;
    bool first, second;  // what the circuits say
  };
  std::optional<Difference> difference;

  bool proved() const { return !difference && unknown == 0; }
};

// Called now and then with gates done and gates in all.
using EquivalenceProgress = std::function<void(std::size_t, std::size_t)>;

// Circuits of equally many inputs and outputs, matched by position. A difference ends the search at once.
Equivalence check_equivalence(const Netlist& first, const Netlist& second, const EquivalenceSettings& settings = {},
                              const EquivalenceProgress& progress = {});

}  // namespace firn::prove
