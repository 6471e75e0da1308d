// Pruning by data: rows of gates that no example visits are free, and free rows make wires of gates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/circuit/netlist.h"

namespace firn::circuit {

// Which rows of its truth table each gate of a netlist has seen. The netlist must outlive this and stay as it is.
class VisitedRows {
 public:
  explicit VisitedRows(const Netlist& netlist);

  // in: [inputs][words], one sample per bit; bits from `samples` on are no samples.
  void visit(const Matrix<std::uint64_t>& in, std::size_t samples);

  // Bit 2 a + b is set where the gate has seen operands a and b, through their inverters.
  const std::vector<std::uint8_t>& masks() const { return masks_; }
  std::size_t unvisited() const;  // rows, of all gates

 private:
  const Netlist& netlist_;
  std::vector<std::uint8_t> masks_;    // [gate]
  std::vector<std::uint64_t> values_;  // [node], of one word
};

// Replaces each gate by a constant, an operand or its complement, or an XOR by a cheaper gate, where all rows that were
// visited allow it; masks as in VisitedRows. All wires keep their values on every sample that was visited, so gates can
// be replaced independently of each other. The result is simplified.
void prune_unvisited(Netlist& netlist, const std::vector<std::uint8_t>& masks);

}  // namespace firn::circuit
