// What a circuit costs: gates per layer, depth, look-up tables, and the counts that papers report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/circuit/netlist.h"
#include "firn/network/boolean_network.h"

namespace firn::circuit {

struct LayerCost {
  std::string name;
  std::size_t unrolled = 0;                  // gates before simplification: every placement, pool ORs included
  std::size_t and_gates = 0, xor_gates = 0;  // after it; a gate counts for the layer it was made in
  std::size_t depth = 0;                     // gates between the inputs and this layer's deepest gate

  std::size_t gates() const { return and_gates + xor_gates; }
};

struct CircuitCost {
  std::vector<LayerCost> layers;
  std::size_t depth = 0;
  std::size_t luts = 0;  // six-input look-up tables, see lut_estimate()
};

// `netlist` is the simplified lowering of `network`.
CircuitCost circuit_cost(const Netlist& netlist, const BooleanNetwork& network);

// How many six-input look-up tables hold the gates when each table greedily swallows the single-use gates before it.
// An estimate from above: mappers that duplicate logic or look further need fewer.
std::size_t lut_estimate(const Netlist& netlist);

// Gates as the papers on convolutional logic gate networks count them: every placement of a filter costs the same, also
// next to the padding, constants and pass-throughs vanish, and a tree adder of 7 gates for each output is included.
std::size_t gates_with_adders(const BooleanNetwork& network);

}  // namespace firn::circuit
