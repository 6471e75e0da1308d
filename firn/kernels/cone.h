// Units of gates on one block of samples, unrolled over all their places: recomputing outputs whose inputs changed, and
// what the outputs become when some rows of a gate's truth table are flipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace firn::kernels {

// A row of a block is one wire over 512 samples: one cache line, one sample per bit.
inline constexpr std::size_t kBlockWords = 8;
inline constexpr std::size_t kBlockSamples = 64 * kBlockWords;

inline constexpr std::uint8_t kUnread = 0xff;

// Output o of unit u is the OR over its pool of the unit's last node. Row 0 of a block is zero and stands for padding.
struct ConeLayer {
  std::size_t taps = 2, gates = 1, pool = 1, outputs = 1;  // of each unit
  int depth = 0;  // of complete binary trees whose gate g reads nodes 2g and 2g + 1; 0: as the operands say
  const std::uint8_t* operands = nullptr;  // [gates][2] nodes of the unit: taps first, then gates
  // [gates] which operand (2 * gate + side) reads each gate; kUnread where none does. Null: some are read twice.
  const std::uint8_t* readers = nullptr;
  const std::uint8_t* numbers = nullptr;  // [units][gates] gates
  const std::uint32_t* rows = nullptr;    // [units][outputs][pool][taps] rows of the block
  std::uint32_t first_row = 0;            // of output 0 of unit 0; the others follow
};

// Outputs that changed and what they were.
struct ConeChange {
  std::uint32_t* outputs = nullptr;  // [changed] unit * outputs + output
  std::uint64_t* before = nullptr;   // [changed][kBlockWords]
  std::size_t count = 0;
};

// Computes every output of units [first, first + count).
void compute_units(const ConeLayer& layer, std::size_t first, std::size_t count, std::uint64_t* block);

// Computes the listed outputs anew and appends those that changed, in the order of the list. There is room for all.
void recompute_outputs(const ConeLayer& layer, std::span<const std::uint32_t> outputs, std::uint64_t* block,
                       ConeChange& change);

// The outputs of a unit if the rows of gate `gate` that are set in the truth table `flips[i]` were flipped.
// flipped: [flips.size()][layer.outputs][kBlockWords].
void flipped_outputs(const ConeLayer& layer, std::size_t unit, std::size_t gate, std::span<const std::uint8_t> flips,
                     const std::uint64_t* block, std::uint64_t* flipped);

// One change of a unit with a single output and no pool: rows `flip` of gate `gate`.
struct UnitFlip {
  std::uint8_t gate = 0, flip = 0;
};

// Samples whose output each of the flips would change. masks: [flips.size()][kBlockWords].
void flip_masks(const ConeLayer& layer, std::size_t unit, std::span<const UnitFlip> flips, const std::uint64_t* block,
                std::uint64_t* masks);

// sums[i][s] += values[s] for the samples s that are set in masks[i]; all rows have kBlockSamples values.
void add_masked(std::size_t count, const std::uint64_t* masks, const double* values, double* sums);

}  // namespace firn::kernels
