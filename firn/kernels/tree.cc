#include "firn/kernels/tree.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/tree.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

template <int kDepth>
struct Tree {
  static constexpr int kLeaves = 1 << kDepth;
  static constexpr int kGates = kLeaves - 1;
  static constexpr int kRoot = kGates - 1;
  static constexpr int first_gate(int level) { return kLeaves - (kLeaves >> level); }
};

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
void ForwardPlain(const TreeConv& conv, std::size_t samples, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const FloatTag d;
  for (std::size_t k = 0; k < conv.filters; ++k) {
    const float* leaves[Tree<kDepth>::kLeaves];
    for (int l = 0; l < Tree<kDepth>::kLeaves; ++l)
      leaves[l] = in + conv.leaves[k * Tree<kDepth>::kLeaves + l] * samples;
    const float* coefficients = conv.coefficients + k * 4 * Tree<kDepth>::kGates;
    for (std::size_t y = 0; y < conv.out_height; ++y) {
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        float* to = out + (conv.out_first + k * conv.out_plane + y * conv.out_line + x) * samples;
        const std::size_t position = (y * conv.in_line + x) * conv.stride * samples;
        std::size_t s = 0;
        for (; s + 2 * kLanes <= samples; s += 2 * kLanes) {
          const std::size_t at[2] = {position + s, position + s + kLanes};
          FloatVec value[2];
          EvaluateNode<kDepth, kDepth - 1, 0, 2>(d, leaves, at, coefficients, value);
          hn::Store(value[0], d, to + s);
          hn::Store(value[1], d, to + s + kLanes);
        }
        for (; s < samples; s += kLanes) {
          const std::size_t at[1] = {position + s};
          FloatVec value[1];
          EvaluateNode<kDepth, kDepth - 1, 0, 1>(d, leaves, at, coefficients, value);
          hn::Store(value[0], d, to + s);
        }
      }
    }
  }
}

template <int kDepth>
void ForwardPooled(const TreeConv& conv, std::size_t samples, const float* HWY_RESTRICT in, float* HWY_RESTRICT out,
                   std::uint8_t* HWY_RESTRICT winners) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  for (std::size_t k = 0; k < conv.filters; ++k) {
    const float* leaves[Tree<kDepth>::kLeaves];
    for (int l = 0; l < Tree<kDepth>::kLeaves; ++l)
      leaves[l] = in + conv.leaves[k * Tree<kDepth>::kLeaves + l] * samples;
    const float* coefficients = conv.coefficients + k * 4 * Tree<kDepth>::kGates;
    for (std::size_t y = 0; y < conv.out_height; ++y) {
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        float* to = out + (conv.out_first + k * conv.out_plane + y * conv.out_line + x) * samples;
        for (std::size_t s = 0; s < samples; s += kLanes) {
          const std::size_t first = (2 * y * conv.in_line + 2 * x) * conv.stride * samples + s;
          const std::size_t right = conv.stride * samples, below = first + conv.in_line * right;
          const std::size_t at[4] = {first, first + right, below, below + right};
          FloatVec value[4];
          EvaluateNode<kDepth, kDepth - 1, 0, 4>(d, leaves, at, coefficients, value);
          FloatVec best = value[0];
          auto winner = hn::Zero(di);
          for (int p = 1; p < 4; ++p) {
            const auto better = hn::Gt(value[p], best);
            best = hn::IfThenElse(better, value[p], best);
            winner = hn::IfThenElse(hn::RebindMask(di, better), hn::Set(di, p), winner);
          }
          hn::Store(best, d, to + s);
          hn::StoreU(hn::DemoteTo(db, winner), db, winners + s);
        }
        winners += samples;
      }
    }
  }
}

// Backward of one tree kernel in two phases, because the 4 sums of each gate do not fit in registers together: node
// values and gradients of a block of positions go to a scratch that stays in L1, then gate after gate runs over it.
template <int kDepth>
class TreeBackward {
  using T = Tree<kDepth>;
  static constexpr std::size_t kBlock = 256;  // floats per node in the scratch
  static constexpr std::size_t kSums = (4 * T::kGates + 15) / 16 * 16;

 public:
  TreeBackward(const float* coefficients, const std::uint8_t* frozen) : coefficients_(coefficients), frozen_(frozen) {
    for (std::size_t i = 0; i < kSums * kLanes; ++i) sums_[i] = 0;
    trains_ = frozen == nullptr;
    for (int g = 0; !trains_ && g < T::kGates; ++g) trains_ = !frozen[g];
  }

  // Takes the leaf values and the gradient at the root; leaves the gradients of the leaves in `grad_leaves`.
  HWY_INLINE void Add(FloatTag d, const FloatVec* HWY_RESTRICT leaf, FloatVec grad,
                      FloatVec* HWY_RESTRICT grad_leaves) {
    FloatVec node[T::kLeaves + T::kGates];  // leaves, then gates: the children of gate g are nodes 2g and 2g + 1
    for (int l = 0; l < T::kLeaves; ++l) node[l] = leaf[l];
    for (int g = 0; g < T::kRoot; ++g) {
      node[T::kLeaves + g] = ApplyGate(d, coefficients_ + 4 * g, node[2 * g], node[2 * g + 1]);
    }
    FloatVec delta[T::kLeaves + T::kGates];
    delta[T::kLeaves + T::kRoot] = grad;
    for (int g = T::kRoot; g >= 0; --g) {
      const float* c = coefficients_ + 4 * g;
      const FloatVec cab = hn::Set(d, c[3]);
      const FloatVec up = delta[T::kLeaves + g];
      delta[2 * g] = hn::Mul(up, hn::MulAdd(cab, node[2 * g + 1], hn::Set(d, c[1])));
      delta[2 * g + 1] = hn::Mul(up, hn::MulAdd(cab, node[2 * g], hn::Set(d, c[2])));
    }
    for (int l = 0; l < T::kLeaves; ++l) grad_leaves[l] = delta[l];
    if (!trains_) return;
    for (int n = 0; n < 2 * T::kGates; ++n) hn::Store(node[n], d, values_ + n * kBlock + used_);
    for (int g = 0; g < T::kGates; ++g) hn::Store(delta[T::kLeaves + g], d, deltas_ + g * kBlock + used_);
    used_ += kLanes;
    if (used_ == kBlock) Flush(d);
  }

  void Finish(FloatTag d, float* HWY_RESTRICT sums) {
    if (!trains_) return;
    Flush(d);
    HWY_ALIGN float total[kSums];
    SumEach(d, sums_, kSums, total);
    for (int g = 0; g < T::kGates; ++g) {
      if (frozen_ != nullptr && frozen_[g]) continue;
      for (int t = 0; t < 4; ++t) sums[4 * g + t] = total[4 * g + t];
    }
  }

 private:
  void Flush(FloatTag d) {
    for (int g = 0; g < T::kGates; ++g) {
      if (frozen_ != nullptr && frozen_[g]) continue;
      float* HWY_RESTRICT sum = sums_ + 4 * g * kLanes;
      const float *delta = deltas_ + g * kBlock, *a = values_ + 2 * g * kBlock, *b = a + kBlock;
      FloatVec s0 = hn::Load(d, sum), sa = hn::Load(d, sum + kLanes);
      FloatVec sb = hn::Load(d, sum + 2 * kLanes), sab = hn::Load(d, sum + 3 * kLanes);
      for (std::size_t i = 0; i < used_; i += kLanes) {
        const FloatVec up = hn::Load(d, delta + i), vb = hn::Load(d, b + i);
        const FloatVec up_a = hn::Mul(up, hn::Load(d, a + i));
        s0 = hn::Add(s0, up);
        sa = hn::Add(sa, up_a);
        sb = hn::MulAdd(up, vb, sb);
        sab = hn::MulAdd(up_a, vb, sab);
      }
      hn::Store(s0, d, sum);
      hn::Store(sa, d, sum + kLanes);
      hn::Store(sb, d, sum + 2 * kLanes);
      hn::Store(sab, d, sum + 3 * kLanes);
    }
    used_ = 0;
  }

  const float* coefficients_;
  const std::uint8_t* frozen_;
  bool trains_;
  std::size_t used_ = 0;
  HWY_ALIGN float sums_[kSums * kLanes];
  HWY_ALIGN float values_[2 * T::kGates * kBlock];  // nodes below the root
  HWY_ALIGN float deltas_[T::kGates * kBlock];
};

template <int kDepth, bool kInputGradient>
void BackwardPlain(const TreeConv& conv, std::size_t samples, const float* HWY_RESTRICT in,
                   const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_in, float* HWY_RESTRICT sums) {
  constexpr int kLeaves = Tree<kDepth>::kLeaves, kGates = Tree<kDepth>::kGates;
  const FloatTag d;
  for (std::size_t k = 0; k < conv.filters; ++k) {
    TreeBackward<kDepth> tree(conv.coefficients + k * 4 * kGates, conv.frozen ? conv.frozen + k * kGates : nullptr);
    std::size_t first[kLeaves];
    for (int l = 0; l < kLeaves; ++l) first[l] = conv.leaves[k * kLeaves + l] * samples;
    for (std::size_t y = 0; y < conv.out_height; ++y) {
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        const float* from =
            grad_out + (conv.out_first + k / conv.grad_run * conv.out_plane + y * conv.out_line + x) * samples;
        const std::size_t position = (y * conv.in_line + x) * conv.stride * samples;
        for (std::size_t s = 0; s < samples; s += kLanes) {
          const FloatVec grad = hn::Load(d, from + s);
          FloatVec leaf[kLeaves], grad_leaf[kLeaves];
          for (int l = 0; l < kLeaves; ++l) leaf[l] = hn::Load(d, in + first[l] + position + s);
          tree.Add(d, leaf, grad, grad_leaf);
          if constexpr (kInputGradient) {
            for (int l = 0; l < kLeaves; ++l) AddTo(d, grad_leaf[l], grad_in + first[l] + position + s);
          }
        }
      }
    }
    tree.Finish(d, sums + k * 4 * kGates);
  }
}

// Lanes have different winners. Blending the four candidate rows of each leaf costs four loads, and then the tree is
// evaluated once; evaluating it under a mask for each position would cost four times the arithmetic.
template <int kDepth, bool kInputGradient>
void BackwardPooled(const TreeConv& conv, std::size_t samples, const float* HWY_RESTRICT in,
                    const float* HWY_RESTRICT grad_out, const std::uint8_t* HWY_RESTRICT winners,
                    float* HWY_RESTRICT grad_in, float* HWY_RESTRICT sums) {
  constexpr int kLeaves = Tree<kDepth>::kLeaves, kGates = Tree<kDepth>::kGates;
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  using Mask = hn::Mask<FloatTag>;
  const std::size_t right = conv.stride * samples;
  const std::size_t offset[4] = {0, right, conv.in_line * right, (conv.in_line + 1) * right};
  for (std::size_t k = 0; k < conv.filters; ++k) {
    TreeBackward<kDepth> tree(conv.coefficients + k * 4 * kGates, conv.frozen ? conv.frozen + k * kGates : nullptr);
    std::size_t first[kLeaves];
    for (int l = 0; l < kLeaves; ++l) first[l] = conv.leaves[k * kLeaves + l] * samples;
    for (std::size_t y = 0; y < conv.out_height; ++y) {
      for (std::size_t x = 0; x < conv.out_width; ++x, winners += samples) {
        const float* from = grad_out + (conv.out_first + k * conv.out_plane + y * conv.out_line + x) * samples;
        for (std::size_t s = 0; s < samples; s += kLanes) {
          const FloatVec grad = hn::Load(d, from + s);
          if (hn::AllTrue(d, hn::Eq(grad, hn::Zero(d)))) continue;
          const std::size_t position = (2 * y * conv.in_line + 2 * x) * conv.stride * samples + s;
          const auto winner = hn::PromoteTo(di, hn::LoadU(db, winners + s));
          Mask wins[4];
          bool any[4];
          for (int p = 0; p < 4; ++p) {
            wins[p] = hn::RebindMask(d, hn::Eq(winner, hn::Set(di, p)));
            any[p] = !hn::AllFalse(d, wins[p]);
          }
          FloatVec leaf[kLeaves], grad_leaf[kLeaves];
          for (int l = 0; l < kLeaves; ++l) {
            const float* row = in + first[l] + position;
            leaf[l] = hn::Load(d, row);
            for (int p = 1; p < 4; ++p) leaf[l] = hn::IfThenElse(wins[p], hn::Load(d, row + offset[p]), leaf[l]);
          }
          tree.Add(d, leaf, grad, grad_leaf);
          if constexpr (kInputGradient) {
            for (int p = 0; p < 4; ++p) {
              if (!any[p]) continue;
              for (int l = 0; l < kLeaves; ++l) {
                AddTo(d, hn::IfThenElseZero(wins[p], grad_leaf[l]), grad_in + first[l] + position + offset[p]);
              }
            }
          }
        }
      }
    }
    tree.Finish(d, sums + k * 4 * kGates);
  }
}

template <int kDepth>
void ForwardOfDepth(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners) {
  if (conv.pool == 2) {
    ForwardPooled<kDepth>(conv, samples, in, out, winners);
  } else {
    ForwardPlain<kDepth>(conv, samples, in, out);
  }
}

template <int kDepth>
void BackwardOfDepth(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                     const std::uint8_t* winners, float* grad_in, float* sums) {
  if (conv.pool == 2 && grad_in != nullptr) {
    BackwardPooled<kDepth, true>(conv, samples, in, grad_out, winners, grad_in, sums);
  } else if (conv.pool == 2) {
    BackwardPooled<kDepth, false>(conv, samples, in, grad_out, winners, grad_in, sums);
  } else if (grad_in != nullptr) {
    BackwardPlain<kDepth, true>(conv, samples, in, grad_out, grad_in, sums);
  } else {
    BackwardPlain<kDepth, false>(conv, samples, in, grad_out, grad_in, sums);
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

void TreeBackwardPass(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                      const std::uint8_t* winners, float* grad_in, float* sums) {
  switch (conv.depth) {
    case 1:
      return BackwardOfDepth<1>(conv, samples, in, grad_out, winners, grad_in, sums);
    case 2:
      return BackwardOfDepth<2>(conv, samples, in, grad_out, winners, grad_in, sums);
    case 3:
      return BackwardOfDepth<3>(conv, samples, in, grad_out, winners, grad_in, sums);
    default:
      return BackwardOfDepth<4>(conv, samples, in, grad_out, winners, grad_in, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(TreeForward);
HWY_EXPORT(TreeBackwardPass);

namespace {

void check(const TreeConv& conv, std::size_t samples, const std::uint8_t* winners) {
  FIRN_CHECK(conv.depth >= 1 && conv.depth <= kMaxTreeDepth);
  FIRN_CHECK(conv.pool == 1 || (conv.pool == 2 && winners != nullptr));
  FIRN_CHECK(samples % 16 == 0 && conv.grad_run > 0 && (conv.pool == 1 || conv.grad_run == 1));
}

}  // namespace

void tree_conv_forward(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners) {
  check(conv, samples, winners);
  HWY_DYNAMIC_DISPATCH(TreeForward)(conv, samples, in, out, winners);
}

void tree_conv_backward(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                        const std::uint8_t* winners, float* grad_in, float* sums) {
  check(conv, samples, winners);
  HWY_DYNAMIC_DISPATCH(TreeBackwardPass)(conv, samples, in, grad_out, winners, grad_in, sums);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
