// Backward of whole trees that are placed many times takes two passes over a block of placements. Trees are evaluated
// in registers, placement after placement, and all nodes go to rows that stay in L1. Then gate after gate runs over the
// rows: its coefficients and its four sums stay in registers, and gradients replace the values they belong to. Passing
// gradients down in registers as well loaded every coefficient once more for each vector, and was slower.
//
// Trees that are placed once, as in the head, have one or two vectors of work for each set of coefficients: they are
// done gate by gate in registers, and only the products are stored, to be summed over lanes.

#include "firn/base/error.h"
#include "firn/kernels/tree.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/tree_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/tree_pruned_backward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Where the rows of a tree's leaves begin, in floats.
template <int kDepth>
class LeafRows {
 public:
  LeafRows(const TreeConv& conv, std::size_t k, std::size_t samples) {
    for (int l = 0; l < Tree<kDepth>::kLeaves; ++l) first_[l] = conv.leaves[k * Tree<kDepth>::kLeaves + l] * samples;
  }
  HWY_INLINE std::size_t operator[](int leaf) const { return first_[leaf]; }

 private:
  std::size_t first_[Tree<kDepth>::kLeaves];
};

inline constexpr std::size_t kBlock = 256;  // floats

// Collects placements of a filter, vector after vector, until a block is full.
template <int kDepth, bool kInputGradient>
class TreeGradient {
  using T = Tree<kDepth>;
  static constexpr std::size_t kRow = kBlock + 16;  // whole pages apart, rows would be taken for one another

 public:
  TreeGradient(FloatTag d, const TreeConv& conv, std::size_t k) : coefficients_(conv.coefficients + k * 4 * T::kGates) {
    for (bool& learns : learns_) learns = false;
    for (const TreeStep& step : (*conv.programs)[k].steps) trains_ |= learns_[step.gate] = step.learns;
    lanes_.Clear(d, T::kGates);
  }

  // Takes the leaf values and the gradient at the root; returns whether the block is full.
  HWY_INLINE bool Add(FloatTag d, const FloatVec* HWY_RESTRICT leaf, FloatVec grad) {
    FloatVec node[T::kLeaves + T::kGates];  // leaves, then gates: the children of gate g are nodes 2g and 2g + 1
    for (int l = 0; l < T::kLeaves; ++l) node[l] = leaf[l];
    for (int g = 0; g < T::kRoot; ++g)
      node[T::kLeaves + g] = ApplyGate(d, coefficients_ + 4 * g, node[2 * g], node[2 * g + 1]);
    node[T::kLeaves + T::kRoot] = grad;
    for (int n = 0; n < T::kLeaves + T::kGates; ++n) hn::Store(node[n], d, Row(n) + used_);
    used_ += kLanes;
    return used_ == kBlock;
  }

  std::size_t used() const { return used_; }

  // The row of a node. After GoBack those of the leaves hold their gradients.
  HWY_INLINE float* Row(int node) { return rows_ + node * kRow; }

  HWY_INLINE void GoBack(FloatTag d) {
    if (!kInputGradient && !trains_) return;
    for (int g = T::kRoot; g >= 0; --g) {
      const float *c = coefficients_ + 4 * g, *delta = Row(T::kLeaves + g);
      float *a = Row(2 * g), *b = Row(2 * g + 1);
      if (!learns_[g])
        BackThroughGate<true, false>(d, c, delta, a, b, used_, nullptr);
      else if (kInputGradient || 2 * g >= T::kLeaves)
        BackThroughGate<true, true>(d, c, delta, a, b, used_, lanes_.of(g));
      else
        BackThroughGate<false, true>(d, c, delta, a, b, used_, lanes_.of(g));
    }
  }

  void Clear() { used_ = 0; }

  void Write(FloatTag d, float* HWY_RESTRICT sums) const { lanes_.AddUp(d, T::kGates, sums); }  // zero where unread

 private:
  const float* coefficients_;
  bool learns_[T::kGates];
  bool trains_ = false;
  std::size_t used_ = 0;
  LaneSums lanes_;
  HWY_ALIGN float rows_[(T::kLeaves + T::kGates) * kRow];
};

template <int kDepth, bool kInputGradient>
void BackwardPlain(const TreeConv& conv, std::size_t k, std::size_t samples, const float* HWY_RESTRICT in,
                   const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_in, float* HWY_RESTRICT sums) {
  constexpr int kLeaves = Tree<kDepth>::kLeaves;
  const FloatTag d;
  TreeGradient<kDepth, kInputGradient> tree(d, conv, k);
  const LeafRows<kDepth> first(conv, k, samples);
  std::size_t position[kBlock / kLanes];
  const auto flush = [&]() HWY_ATTR {
    tree.GoBack(d);
    if constexpr (kInputGradient) {
      for (std::size_t i = 0; i < tree.used(); i += kLanes)
        for (int l = 0; l < kLeaves; ++l)
          AddTo(d, hn::Load(d, tree.Row(l) + i), grad_in + first[l] + position[i / kLanes]);
    }
    tree.Clear();
  };
  for (std::size_t y = 0; y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x) {
      const float* from = GradientRow(conv, k, y, x, samples, grad_out);
      for (std::size_t s = 0; s < samples; s += kLanes) {
        const std::size_t at = (y * conv.in_line + x) * conv.stride * samples + s;
        FloatVec leaf[kLeaves];
        for (int l = 0; l < kLeaves; ++l) leaf[l] = hn::Load(d, in + first[l] + at);
        position[tree.used() / kLanes] = at;
        if (tree.Add(d, leaf, hn::Load(d, from + s))) flush();
      }
    }
  flush();
  tree.Write(d, sums);
}

// Lanes have different winners. Blending the four candidate rows of each leaf costs four loads, and then the tree is
// evaluated once; evaluating it under a mask for each position would cost four times the arithmetic.
template <int kDepth, bool kInputGradient>
void BackwardPooled(const TreeConv& conv, std::size_t k, std::size_t samples, const float* HWY_RESTRICT in,
                    const float* HWY_RESTRICT grad_out, const std::uint8_t* HWY_RESTRICT winners,
                    float* HWY_RESTRICT grad_in, float* HWY_RESTRICT sums) {
  constexpr int kLeaves = Tree<kDepth>::kLeaves;
  const FloatTag d;
  TreeGradient<kDepth, kInputGradient> tree(d, conv, k);
  const LeafRows<kDepth> first(conv, k, samples);
  const IntTag di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  const std::size_t right = conv.stride * samples;
  const std::size_t shift[4] = {0, right, conv.in_line * right, (conv.in_line + 1) * right};
  const std::uint32_t reads = (*conv.programs)[k].reads;
  HWY_ALIGN std::int32_t won[kBlock];
  std::size_t position[kBlock / kLanes];
  LeafGradient leaves[kLeaves];
  for (int l = 0; l < kLeaves; ++l) leaves[l] = {tree.Row(l), first[l]};
  PlanesAhead ahead(conv, k, samples);
  const auto flush = [&]() HWY_ATTR {
    tree.GoBack(d);
    if constexpr (kInputGradient) {
      PushLeaves(d, {tree.used(), won, position, shift}, (*conv.pushes)[k], reads, leaves, grad_in);
    }
    tree.Clear();
  };
  for (std::size_t y = 0; y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x, winners += samples) {
      if constexpr (kInputGradient) ahead.Advance(in, grad_in);
      const float* from = GradientRow(conv, k, y, x, samples, grad_out);
      for (std::size_t s = 0; s < samples; s += kLanes) {
        const FloatVec grad = hn::Load(d, from + s);
        if (hn::AllTrue(d, hn::Eq(grad, hn::Zero(d)))) continue;
        const std::size_t at = (2 * y * conv.in_line + 2 * x) * right + s;
        const auto winner = hn::PromoteTo(di, hn::LoadU(db, winners + s));
        const auto second = Wins(d, winner, 1), third = Wins(d, winner, 2), fourth = Wins(d, winner, 3);
        FloatVec leaf[kLeaves];
        for (int l = 0; l < kLeaves; ++l) {
          const float* row = in + first[l] + at;
          leaf[l] = hn::Load(d, row);
          leaf[l] = hn::IfThenElse(second, hn::Load(d, row + shift[1]), leaf[l]);
          leaf[l] = hn::IfThenElse(third, hn::Load(d, row + shift[2]), leaf[l]);
          leaf[l] = hn::IfThenElse(fourth, hn::Load(d, row + shift[3]), leaf[l]);
        }
        if constexpr (kInputGradient) {
          hn::Store(winner, di, won + tree.used());
          position[tree.used() / kLanes] = at;
        }
        if (tree.Add(d, leaf, grad)) flush();
      }
    }
  flush();
  tree.Write(d, sums);
}

// A whole tree that is placed once, kTogether vectors of samples from `s` on, in registers.
template <int kDepth, int kTogether, bool kInputGradient>
class BackwardOnce {
  using T = Tree<kDepth>;

 public:
  // Products of earlier vectors are in `sums` unless this is the first call.
  static HWY_INLINE void Run(FloatTag d, const float* HWY_RESTRICT coefficients, const LeafRows<kDepth>& first,
                             std::size_t s, bool is_first, const float* HWY_RESTRICT in, const float* HWY_RESTRICT grad,
                             float* HWY_RESTRICT grad_in, LaneSums& sums) {
    FloatVec node[T::kGates][kTogether], delta[T::kGates][kTogether];  // of gates
    const auto value = [&](int n, int t) HWY_ATTR {
      return n < T::kLeaves ? hn::Load(d, in + first[n] + s + t * kLanes) : node[n - T::kLeaves][t];
    };
    for (int g = 0; g < T::kRoot; ++g) {
      const float* c = coefficients + 4 * g;
      for (int t = 0; t < kTogether; ++t) node[g][t] = ApplyGate(d, c, value(2 * g, t), value(2 * g + 1, t));
    }
    for (int t = 0; t < kTogether; ++t) delta[T::kRoot][t] = hn::Load(d, grad + s + t * kLanes);
    for (int i = T::kRoot; i >= 0; --i) {
      // A row may be a leaf twice, and additions to it keep the order of the leaves.
      const int g = i < T::kLeaves / 2 ? T::kLeaves / 2 - 1 - i : i;
      const float* c = coefficients + 4 * g;
      const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
      GateSums total{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      if (!is_first) total.Load(d, sums.of(g));
      for (int t = 0; t < kTogether; ++t) {
        const FloatVec up = delta[g][t], a = value(2 * g, t), b = value(2 * g + 1, t);
        total.Add(up, a, b);
        if constexpr (kInputGradient) {
          Pass(d, hn::Mul(up, hn::MulAdd(cab, b, ca)), 2 * g, t, first, s, delta, grad_in);
          Pass(d, hn::Mul(up, hn::MulAdd(cab, a, cb)), 2 * g + 1, t, first, s, delta, grad_in);
        } else if (2 * g >= T::kLeaves) {
          delta[2 * g - T::kLeaves][t] = hn::Mul(up, hn::MulAdd(cab, b, ca));
          delta[2 * g + 1 - T::kLeaves][t] = hn::Mul(up, hn::MulAdd(cab, a, cb));
        }
      }
      total.Store(d, sums.of(g));
    }
  }

 private:
  static HWY_INLINE void Pass(FloatTag d, FloatVec gradient, int n, int t, const LeafRows<kDepth>& first, std::size_t s,
                              FloatVec (*delta)[kTogether], float* HWY_RESTRICT grad_in) {
    if (n < T::kLeaves)
      AddTo(d, gradient, grad_in + first[n] + s + t * kLanes);
    else
      delta[n - T::kLeaves][t] = gradient;
  }
};

// A whole tree of the head.
template <int kDepth, bool kInputGradient>
void BackwardTree(const TreeConv& conv, std::size_t k, std::size_t samples, const float* in, const float* grad_out,
                  LaneSums& lanes, float* grad_in, float* sums) {
  using T = Tree<kDepth>;
  const FloatTag d;
  const float* coefficients = conv.coefficients + k * 4 * T::kGates;
  const float* grad = GradientRow(conv, k, 0, 0, samples, grad_out);
  const LeafRows<kDepth> first(conv, k, samples);
  std::size_t s = 0;
  for (; s + 2 * kLanes <= samples; s += 2 * kLanes)
    BackwardOnce<kDepth, 2, kInputGradient>::Run(d, coefficients, first, s, s == 0, in, grad, grad_in, lanes);
  for (; s < samples; s += kLanes)
    BackwardOnce<kDepth, 1, kInputGradient>::Run(d, coefficients, first, s, s == 0, in, grad, grad_in, lanes);
  lanes.AddUp(d, T::kGates, sums);
}

template <int kDepth, bool kInputGradient>
void BackwardOfDepth(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                     const std::uint8_t* winners, float* grad_in, float* sums) {
  const FloatTag d;
  const bool is_placed_once = IsPlacedOnce(conv);
  LaneSums lanes;
  lanes.Clear(d, kMostGates + 1);
  for (std::size_t k = 0; k < conv.filters; ++k, sums += 4 * Tree<kDepth>::kGates) {
    const std::uint8_t* filter_winners =
        conv.pool == 1 ? nullptr : winners + k * conv.out_height * conv.out_width * samples;
    if (is_placed_once) {
      PrefetchLeaves<kDepth>(conv, k + kTreesAhead, samples, in);
      if (kInputGradient) PrefetchLeaves<kDepth>(conv, k + kTreesAhead, samples, grad_in);
    }
    const TreeProgram program = (*conv.programs)[k];
    if (!IsWhole(conv, program)) {
      BackwardPruned({conv, samples, in, grad_out, winners, grad_in}, k, program, lanes, sums);
    } else if (is_placed_once) {
      BackwardTree<kDepth, kInputGradient>(conv, k, samples, in, grad_out, lanes, grad_in, sums);
    } else if (conv.pool == 1) {
      BackwardPlain<kDepth, kInputGradient>(conv, k, samples, in, grad_out, grad_in, sums);
    } else {
      BackwardPooled<kDepth, kInputGradient>(conv, k, samples, in, grad_out, filter_winners, grad_in, sums);
    }
  }
}

template <int kDepth>
void BackwardWithOrWithout(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                           const std::uint8_t* winners, float* grad_in, float* sums) {
  if (grad_in != nullptr)
    BackwardOfDepth<kDepth, true>(conv, samples, in, grad_out, winners, grad_in, sums);
  else
    BackwardOfDepth<kDepth, false>(conv, samples, in, grad_out, winners, grad_in, sums);
}

void TreeBackward(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                  const std::uint8_t* winners, float* grad_in, float* sums) {
  switch (conv.depth) {
    case 1:
      return BackwardWithOrWithout<1>(conv, samples, in, grad_out, winners, grad_in, sums);
    case 2:
      return BackwardWithOrWithout<2>(conv, samples, in, grad_out, winners, grad_in, sums);
    case 3:
      return BackwardWithOrWithout<3>(conv, samples, in, grad_out, winners, grad_in, sums);
    default:
      return BackwardWithOrWithout<4>(conv, samples, in, grad_out, winners, grad_in, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(TreeBackward);

void tree_conv_backward(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                        const std::uint8_t* winners, float* grad_in, float* sums) {
  FIRN_CHECK(conv.depth >= 1 && conv.depth <= kMaxTreeDepth && conv.programs != nullptr);
  FIRN_CHECK(conv.pool == 1 || (conv.pool == 2 && winners != nullptr));
  FIRN_CHECK(samples % 16 == 0 && conv.grad_run > 0 && (conv.pool == 1 || conv.grad_run == 1));
  HWY_DYNAMIC_DISPATCH(TreeBackward)(conv, samples, in, grad_out, winners, grad_in, sums);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
