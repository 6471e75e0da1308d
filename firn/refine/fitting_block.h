// The state of 512 samples of the fitting set: every stored wire, the counts of the head, and what flipping one output
// would do to the loss. Moves are priced and applied here, one block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/refine/count_loss.h"
#include "firn/refine/plan.h"

namespace firn::refine {

struct FittingBlock {
  // `labels` and `wires` must outlive this; fewer than 512 labels where the block is not full.
  FittingBlock(const Plan& plan, const CountLoss& loss, std::span<const std::uint16_t> labels, std::uint64_t* wires);

  static std::size_t bytes(const Plan& plan);

  std::uint64_t* row(std::size_t r) { return wires + r * kernels::kBlockWords; }
  const std::uint64_t* row(std::size_t r) const { return wires + r * kernels::kBlockWords; }

  std::span<const std::uint16_t> labels;
  std::uint64_t* wires;              // [plan.rows][kBlockWords], aligned to cache lines
  std::vector<std::int32_t> counts;  // [sample][groups]
  std::vector<double> softmax;       // [sample][groups]
  // [groups][sample] change of a sample's loss if one output of the group turned from 0 to 1 or from 1 to 0; only where
  // the last layer is placed once.
  std::vector<double> up, down;
};

// Computes on blocks with scratch memory of its own: one per worker.
class BlockSimulator {
 public:
  // Both must outlive this; the plan's gates may change in between.
  BlockSimulator(const Plan& plan, const CountLoss& loss);

  // Computes everything from input bits [feature][at least kBlockWords].
  void fill(const Matrix<std::uint64_t>& bits, FittingBlock& block);

  // sums[i][s] += change of the loss of sample s if rows `flips[i].flip` of gate `flips[i].gate` of the unit were
  // flipped. Flips of one gate follow each other. The block is the same afterwards.
  void price(std::size_t layer, std::size_t unit, std::span<const kernels::UnitFlip> flips, FittingBlock& block,
             double* sums);

  // Brings the block up to date after gates of the unit have changed in the plan.
  void apply(std::size_t layer, std::size_t unit, FittingBlock& block);

  // Loss of the block's samples added up, and how many are classified correctly.
  training::LossSum loss(const FittingBlock& block) const;

 private:
  struct Changes {
    std::vector<std::uint32_t> outputs;
    Matrix<std::uint64_t> before;  // [output_count][kBlockWords]
    std::size_t count = 0;
  };

  void price_shared(std::size_t layer, std::size_t unit, std::span<const kernels::UnitFlip> flips, FittingBlock& block,
                    double* sums);
  void price_placed_once(std::size_t layer, std::size_t unit, std::span<const kernels::UnitFlip> flips,
                         FittingBlock& block, double* sums);
  void price_last(std::size_t unit, std::span<const kernels::UnitFlip> flips, const FittingBlock& block, double* sums);

  void write_outputs(std::size_t layer, std::size_t unit, const std::uint64_t* values, FittingBlock& block);
  void propagate(std::size_t layer, FittingBlock& block);
  void undo(std::size_t layer, FittingBlock& block);
  void collect_deltas(const FittingBlock& block);
  void add_changes(const FittingBlock& block, double* sums);
  void refresh(FittingBlock& block, std::size_t sample) const;
  void clear_deltas();

  const Plan& plan_;
  const CountLoss& loss_;
  std::vector<Changes> changes_;                   // one per layer
  std::vector<std::vector<std::uint32_t>> stamp_;  // [layer][output] when it was last listed
  std::uint32_t time_ = 0;
  std::vector<std::uint32_t> listed_;
  Matrix<std::uint64_t> flipped_;       // [16 * most outputs of a unit][kBlockWords]
  Matrix<std::uint64_t> masks_;         // [flips][kBlockWords]
  Matrix<double> values_;               // [1][kBlockSamples]
  std::vector<std::int32_t> delta_;     // [sample][groups], zero between calls
  std::vector<std::uint64_t> touched_;  // [kBlockWords] samples whose delta may not be zero
};

}  // namespace firn::refine
