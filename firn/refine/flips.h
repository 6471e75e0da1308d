// What flipping one row of one truth table would do to the loss of a discrete network, exactly, for every row of every
// gate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "firn/refine/search.h"
#include "firn/train/evaluate.h"

namespace firn::refine {

inline constexpr std::size_t kTableRows = 4;

// The gate that is left when row 2a + b of a truth table is flipped.
constexpr logic::Gate with_flipped_row(logic::Gate gate, std::size_t row) {
  return static_cast<logic::Gate>(static_cast<unsigned>(gate) ^ (8u >> row));
}

struct GateFlips {
  GatePlace place;
  logic::Gate gate = logic::Gate::kFalse;    // as it is
  std::array<Effect, kTableRows> effects{};  // of flipping row 2a + b, wherever the gate is placed
};

struct NetworkFlips {
  training::Risk risk;           // of the network as it is
  std::vector<GateFlips> gates;  // all, layer by layer
};

struct FlipParams {
  // Bytes for the simulated examples; where not all of them fit, they are looked at in turns.
  std::uint64_t memory = std::uint64_t{1} << 30;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};
};

// On the examples themselves, without augmented copies. Refuses real values, which a discrete network cannot read.
NetworkFlips measure_flips(const network::BooleanNetwork& network, const training::Loss& loss, const FittingData& data,
                           const FlipParams& params, Threads& threads);

}  // namespace firn::refine
