// A discrete network unrolled for exact search: for every output of every unit the rows it reads, and for every row the
// outputs that read it.
//
// Dense layers at the end whose every output is read once are fused into units of several gates: TreeLogicNet's head
// becomes trees of depth three. Only roots are then kept in memory, and one visit prices all gates of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/kernels/cone.h"
#include "firn/network/boolean_network.h"

namespace firn::refine {

// A gate of a Boolean network.
struct GatePlace {
  std::uint32_t layer = 0;  // of the Boolean network
  std::uint32_t gate = 0;   // in that layer

  friend bool operator==(const GatePlace&, const GatePlace&) = default;
};

struct PlanLayer {
  std::size_t units = 0, taps = 0, gates = 0, pool = 1, outputs = 1;  // all but the first: of each unit
  int depth = 0;
  std::vector<std::uint8_t> operands, readers;  // as in ConeLayer; no readers where a node is read twice
  std::vector<std::uint8_t> numbers;            // [units][gates] the gates as they are now
  std::vector<GatePlace> places;                // [units][gates]
  std::vector<std::uint32_t> rows;              // [units][outputs][pool][taps]
  std::uint32_t first_row = 0;
  // Outputs (unit * outputs + output) that read feature f of the layer before: reading[first_reading[f]] and on.
  std::vector<std::uint32_t> first_reading, reading;

  std::size_t output_count() const { return units * outputs; }
  bool is_placed_once() const { return pool == 1 && outputs == 1; }
  kernels::ConeLayer cone() const;
  std::span<const std::uint32_t> readers_of(std::size_t feature) const {
    return {reading.data() + first_reading[feature], reading.data() + first_reading[feature + 1]};
  }
};

struct Plan {
  std::size_t inputs = 0;
  std::vector<PlanLayer> layers;
  network::Head head;
  std::size_t rows = 0;  // of a block, with the row of zeros

  std::size_t group_rows() const { return layers.back().output_count() / head.groups; }
  std::uint32_t input_row(std::size_t feature) const { return static_cast<std::uint32_t>(1 + feature); }
};

// Throws an Error where the network does not fit 32-bit row numbers.
Plan make_plan(const network::BooleanNetwork& network);

// Copies the gates of the plan back into the network that it was made from.
void store_gates(const Plan& plan, network::BooleanNetwork& network);

}  // namespace firn::refine
