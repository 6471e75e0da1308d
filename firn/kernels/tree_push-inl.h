// Adds the gradients of the leaves of pooled trees to the rows that the leaves read, for a block of outputs.
#if defined(FIRN_KERNELS_TREE_PUSH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PUSH_INL_H_
#undef FIRN_KERNELS_TREE_PUSH_INL_H_
#else
#define FIRN_KERNELS_TREE_PUSH_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// A block of outputs: `used` floats, vector after vector.
struct PooledOutputs {
  std::size_t used;
  const std::int32_t* winners;  // of the pools, for each lane
  const std::size_t* position;  // of each vector: floats from the row of a leaf at output (0, 0)
  const std::size_t* shift;     // how far the placements of a pool are from its first one
};

struct LeafGradient {
  const float* values;  // of the block
  std::size_t first;    // floats from the first row of the input to that of the leaf
};

template <int kPlacements>
HWY_INLINE void PushLeaf(FloatTag d, const PooledOutputs& from, const PushStep& step, const float* HWY_RESTRICT row,
                         float* HWY_RESTRICT to) {
  const IntTag di;
  const std::int32_t* HWY_RESTRICT winners = from.winners;
  const std::size_t* HWY_RESTRICT position = from.position;
  hn::Vec<IntTag> placement[kPlacements];
  float* rows[kPlacements];
  for (int p = 0; p < kPlacements; ++p) {
    placement[p] = hn::Set(di, step.placements[p]);
    rows[p] = to + from.shift[step.placements[p]];
  }
  for (std::size_t i = 0; i < from.used; i += kLanes) {
    const auto winner = hn::Load(di, winners + i);
    const FloatVec gradient = hn::Load(d, row + i);
    const std::size_t at = position[i / kLanes];
    for (int p = 0; p < kPlacements; ++p) {
      const auto wins = hn::RebindMask(d, hn::Eq(winner, placement[p]));
      float* sum = rows[p] + at;
      const FloatVec before = hn::Load(d, sum);
      hn::Store(hn::IfThenElse(wins, hn::Add(before, gradient), before), d, sum);
    }
  }
}

// Leaves that have no bit in `reads` are left out.
HWY_INLINE void PushLeaves(FloatTag d, const PooledOutputs& from, std::span<const PushStep> steps, std::uint32_t reads,
                           const LeafGradient* leaves, float* grad_in) {
  for (const PushStep& step : steps) {
    if ((reads >> step.leaf & 1) == 0) continue;
    const float* row = leaves[step.leaf].values;
    float* to = grad_in + leaves[step.leaf].first;
    switch (step.count) {
      case 1:
        PushLeaf<1>(d, from, step, row, to);
        break;
      case 2:
        PushLeaf<2>(d, from, step, row, to);
        break;
      case 3:
        PushLeaf<3>(d, from, step, row, to);
        break;
      default:
        PushLeaf<4>(d, from, step, row, to);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
