// Trees are evaluated in registers, two or four rows at a time, which share the loads of the coefficients. Gate after
// gate over rows in L1 takes a third longer for each gate. What is known of whole trees when this is compiled, such as
// where their coefficients are, is worth a tenth of the time: so they have a path of their own beside pruned ones.

#include "firn/base/error.h"
#include "firn/kernels/tree.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/tree_forward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/tree_pruned_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// The value of node kIndex of a level, for kStreams rows at once: several rows share one load of the coefficients.
template <int kDepth, int kLevel, int kIndex, int kStreams>
HWY_INLINE void EvaluateNode(FloatTag d, const float* const* HWY_RESTRICT leaves, const std::size_t* HWY_RESTRICT at,
                             const float* HWY_RESTRICT coefficients, FloatVec* HWY_RESTRICT out) {
  FloatVec a[kStreams], b[kStreams];
  if constexpr (kLevel == 0) {
    for (int s = 0; s < kStreams; ++s) a[s] = hn::Load(d, leaves[2 * kIndex] + at[s]);
    for (int s = 0; s < kStreams; ++s) b[s] = hn::Load(d, leaves[2 * kIndex + 1] + at[s]);
  } else {
    EvaluateNode<kDepth, kLevel - 1, 2 * kIndex, kStreams>(d, leaves, at, coefficients, a);
    EvaluateNode<kDepth, kLevel - 1, 2 * kIndex + 1, kStreams>(d, leaves, at, coefficients, b);
  }
  const float* c = coefficients + 4 * (Tree<kDepth>::first_gate(kLevel) + kIndex);
  const FloatVec c0 = hn::Set(d, c[0]), ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
  for (int s = 0; s < kStreams; ++s) {
    out[s] = hn::MulAdd(hn::MulAdd(cab, a[s], cb), b[s], hn::MulAdd(ca, a[s], c0));
  }
}

template <int kDepth>
struct WholeTree {
  WholeTree(const TreeConv& conv, std::size_t k, std::size_t samples, const float* in)
      : coefficients(conv.coefficients + k * 4 * Tree<kDepth>::kGates) {
    for (int l = 0; l < Tree<kDepth>::kLeaves; ++l)
      leaves[l] = in + conv.leaves[k * Tree<kDepth>::kLeaves + l] * samples;
  }

  template <int kStreams>
  HWY_INLINE void Evaluate(FloatTag d, const std::size_t (&at)[kStreams], FloatVec (&value)[kStreams]) const {
    EvaluateNode<kDepth, kDepth - 1, 0, kStreams>(d, leaves, at, coefficients, value);
  }

  const float* leaves[Tree<kDepth>::kLeaves];
  const float* coefficients;
};

template <int kDepth>
void ForwardOfDepth(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners) {
  const bool is_placed_once = IsPlacedOnce(conv);
  for (std::size_t k = 0; k < conv.filters; ++k) {
    if (is_placed_once) PrefetchLeaves<kDepth>(conv, k + kTreesAhead, samples, in);
    const FilterOutput filter_out(conv, k, samples, out, winners);
    const TreeProgram program = (*conv.programs)[k];
    if (!IsWhole(conv, program))
      ForwardPruned(conv, k, program, samples, in, filter_out);
    else if (conv.pool == 1)
      ForwardPlain(conv, samples, WholeTree<kDepth>(conv, k, samples, in), filter_out);
    else
      ForwardPooled(conv, samples, WholeTree<kDepth>(conv, k, samples, in), filter_out);
  }
}

void TreeForward(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners) {
  switch (conv.depth) {
    case 1:
      return ForwardOfDepth<1>(conv, samples, in, out, winners);
    case 2:
      return ForwardOfDepth<2>(conv, samples, in, out, winners);
    case 3:
      return ForwardOfDepth<3>(conv, samples, in, out, winners);
    default:
      return ForwardOfDepth<4>(conv, samples, in, out, winners);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(TreeForward);

void tree_conv_forward(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners) {
  FIRN_CHECK(conv.depth >= 1 && conv.depth <= kMaxTreeDepth && conv.programs != nullptr);
  FIRN_CHECK(conv.pool == 1 || (conv.pool == 2 && winners != nullptr));
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(TreeForward)(conv, samples, in, out, winners);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
