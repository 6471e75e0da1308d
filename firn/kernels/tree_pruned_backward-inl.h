// Backward pass of trees that freezing has pruned.
#if defined(FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#undef FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#else
#define FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "firn/kernels/tree-inl.h"
#include "firn/kernels/tree_push-inl.h"
#include "firn/kernels/tree_shapes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

struct BackwardPass {
  const TreeConv& conv;
  std::size_t samples;
  const float* in;
  const float* grad_out;
  const std::uint8_t* winners;  // of the pools of all filters, if there are pools
  float* grad_in;               // or null
};

// The sums of a tree's gates from those of the steps of its program. Gates that are not read have none.
inline void WriteSums(FloatTag d, const TreeProgram& program, const LaneSums& lanes, std::size_t gates,
                      float* HWY_RESTRICT sums) {
  float total[4 * kMostGates];
  lanes.AddUp(d, program.steps.size(), total);
  std::fill_n(sums, 4 * gates, 0.0f);
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    std::copy_n(total + 4 * i, 4, sums + 4 * program.steps[i].gate);
}

// Values and gradients of the nodes of a tree for a block of placements, vector after vector.
class BlockOfNodes {
  static constexpr std::size_t kFloats = 256;        // of each node
  static constexpr std::size_t kRow = kFloats + 16;  // whole pages apart, rows would be taken for one another

 public:
  BlockOfNodes(FloatTag d, const TreeConv& conv, std::size_t k, const TreeProgram& program, bool wants_input,
               LaneSums& lanes)
      : program_(program),
        coefficients_(conv.coefficients + k * 4 * ((std::size_t{1} << conv.depth) - 1)),
        wants_input_(wants_input),
        lanes_(lanes) {
    lanes.Clear(d, program.steps.size());
  }

  // Where the next vector of a node goes.
  HWY_INLINE float* Next(std::size_t node) { return rows_ + node * kRow + used_; }
  HWY_INLINE std::size_t vector() const { return used_ / kLanes; }
  HWY_INLINE bool Advance() { return (used_ += kLanes) == kFloats; }

  std::size_t used() const { return used_; }
  const float* Row(std::size_t node) const { return rows_ + node * kRow; }
  static constexpr std::size_t most() { return kFloats; }
  void Clear() { used_ = 0; }

  // Afterwards the rows of the leaves hold their gradients.
  void GoBack(FloatTag d) {
    for (std::size_t i = program_.steps.size(); i-- > 0;) {
      const TreeStep& step = program_.steps[i];
      const float *c = coefficients_ + 4 * step.gate, *delta = Row(kFirstGate + i);
      float *a = rows_ + step.a * kRow, *b = rows_ + step.b * kRow, *lanes = lanes_.of(i);
      if (!step.learns)
        BackThroughGate<true, false>(d, c, delta, a, b, used_, lanes);
      else if (wants_input_ || step.a >= kFirstGate || step.b >= kFirstGate)
        BackThroughGate<true, true>(d, c, delta, a, b, used_, lanes);
      else
        BackThroughGate<false, true>(d, c, delta, a, b, used_, lanes);
    }
  }

 private:
  const TreeProgram& program_;
  const float* coefficients_;
  bool wants_input_;
  std::size_t used_ = 0;
  LaneSums& lanes_;
  HWY_ALIGN float rows_[(kFirstGate + kMostGates) * kRow];
};

// Stores the values of all leaves and gates of a part of a tree to their rows, and returns the last one.
template <class Part, int kLeaf, int kGate>
struct StoreValues;

template <int kLeaf, int kGate>
struct StoreValues<Leaf, kLeaf, kGate> {
  template <class Tree, class LeafValue>
  static HWY_INLINE FloatVec Run(FloatTag d, const Tree& tree, const LeafValue& leaf_value, BlockOfNodes& block) {
    const FloatVec value = leaf_value(tree.leaf[kLeaf]);
    hn::Store(value, d, block.Next(kLeaf));
    return value;
  }
};

template <class A, class B, int kLeaf, int kGate>
struct StoreValues<Branch<A, B>, kLeaf, kGate> {
  static constexpr int kOwn = kGate + A::kGates + B::kGates;

  template <class Tree, class LeafValue>
  static HWY_INLINE FloatVec Run(FloatTag d, const Tree& tree, const LeafValue& leaf_value, BlockOfNodes& block) {
    const FloatVec a = StoreValues<A, kLeaf, kGate>::Run(d, tree, leaf_value, block);
    const FloatVec b = StoreValues<B, kLeaf + A::kLeaves, kGate + A::kGates>::Run(d, tree, leaf_value, block);
    const FloatVec value = ApplyGate(d, tree.coefficients + 4 * kOwn, a, b);
    hn::Store(value, d, block.Next(kFirstGate + kOwn));
    return value;
  }
};

template <class S>
inline constexpr std::size_t kRoot = S::kGates == 0 ? 0 : kFirstGate + S::kGates - 1;

template <class S>
struct StoreOperands;  // of the root, whose own value nobody needs
template <>
struct StoreOperands<Leaf> {
  template <class Tree, class LeafValue>
  static HWY_INLINE void Run(FloatTag, const Tree&, const LeafValue&, BlockOfNodes&) {}
};
template <class A, class B>
struct StoreOperands<Branch<A, B>> {
  template <class Tree, class LeafValue>
  static HWY_INLINE void Run(FloatTag d, const Tree& tree, const LeafValue& leaf_value, BlockOfNodes& block) {
    StoreValues<A, 0, 0>::Run(d, tree, leaf_value, block);
    StoreValues<B, A::kLeaves, A::kGates>::Run(d, tree, leaf_value, block);
  }
};

struct BackwardPrunedPlain {
  template <class S>
  static void Run(const BackwardPass& pass, std::size_t k, const TreeProgram& program, LaneSums& lanes,
                  float* HWY_RESTRICT sums) {
    const FloatTag d;
    const TreeConv& conv = pass.conv;
    const TreeAt<S> tree(conv, k, program, pass.samples);
    BlockOfNodes block(d, conv, k, program, pass.grad_in != nullptr, lanes);
    std::size_t position[BlockOfNodes::most() / kLanes];
    const auto flush = [&]() HWY_ATTR {
      block.GoBack(d);
      for (std::size_t i = 0; pass.grad_in != nullptr && i < block.used(); i += kLanes)
        for (int l = 0; l < S::kLeaves; ++l)
          if (program.reads >> program.leaves[l] & 1)
            AddTo(d, hn::Load(d, block.Row(l) + i), pass.grad_in + position[i / kLanes] + tree.leaf[l]);
      block.Clear();
    };
    for (std::size_t y = 0; y < conv.out_height; ++y)
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        const float* from = GradientRow(conv, k, y, x, pass.samples, pass.grad_out);
        for (std::size_t s = 0; s < pass.samples; s += kLanes) {
          const std::size_t at = (y * conv.in_line + x) * conv.stride * pass.samples + s;
          const float* first = pass.in + at;
          const auto leaf_value = [&](std::size_t leaf) HWY_ATTR { return hn::Load(d, first + leaf); };
          StoreOperands<S>::Run(d, tree, leaf_value, block);
          hn::Store(hn::Load(d, from + s), d, block.Next(kRoot<S>));
          position[block.vector()] = at;
          if (block.Advance()) flush();
        }
      }
    flush();
    WriteSums(d, program, lanes, (std::size_t{1} << conv.depth) - 1, sums);
  }
};

struct BackwardPrunedPooled {
  template <class S>
  static void Run(const BackwardPass& pass, std::size_t k, const TreeProgram& program, LaneSums& lanes,
                  float* HWY_RESTRICT sums) {
    const FloatTag d;
    const IntTag di;
    const hn::Rebind<std::uint8_t, FloatTag> db;
    const TreeConv& conv = pass.conv;
    const TreeAt<S> tree(conv, k, program, pass.samples);
    BlockOfNodes block(d, conv, k, program, pass.grad_in != nullptr, lanes);
    const std::size_t right = conv.stride * pass.samples;
    const std::size_t shift[4] = {0, right, conv.in_line * right, (conv.in_line + 1) * right};
    HWY_ALIGN std::int32_t won[BlockOfNodes::most()];
    std::size_t position[BlockOfNodes::most() / kLanes];
    LeafGradient leaves[kMostLeaves];
    for (int l = 0; l < S::kLeaves; ++l) leaves[program.leaves[l]] = {block.Row(l), tree.leaf[l]};
    const std::uint8_t* winners = pass.winners + k * conv.out_height * conv.out_width * pass.samples;
    PlanesAhead ahead(conv, k, pass.samples);
    const auto flush = [&]() HWY_ATTR {
      block.GoBack(d);
      if (pass.grad_in != nullptr)
        PushLeaves(d, {block.used(), won, position, shift}, (*conv.pushes)[k], program.reads, leaves, pass.grad_in);
      block.Clear();
    };
    for (std::size_t y = 0; y < conv.out_height; ++y)
      for (std::size_t x = 0; x < conv.out_width; ++x, winners += pass.samples) {
        if (pass.grad_in != nullptr) ahead.Advance(pass.in, pass.grad_in);
        const float* from = GradientRow(conv, k, y, x, pass.samples, pass.grad_out);
        for (std::size_t s = 0; s < pass.samples; s += kLanes) {
          const FloatVec grad = hn::Load(d, from + s);
          if (hn::AllTrue(d, hn::Eq(grad, hn::Zero(d)))) continue;
          const std::size_t at = (2 * y * conv.in_line + 2 * x) * right + s;
          const auto winner = hn::PromoteTo(di, hn::LoadU(db, winners + s));
          const auto second = Wins(d, winner, 1), third = Wins(d, winner, 2), fourth = Wins(d, winner, 3);
          const float* first = pass.in + at;
          const auto leaf_value = [&](std::size_t leaf) HWY_ATTR {
            const float* row = first + leaf;
            FloatVec value = hn::Load(d, row);
            value = hn::IfThenElse(second, hn::Load(d, row + shift[1]), value);
            value = hn::IfThenElse(third, hn::Load(d, row + shift[2]), value);
            return hn::IfThenElse(fourth, hn::Load(d, row + shift[3]), value);
          };
          StoreOperands<S>::Run(d, tree, leaf_value, block);
          hn::Store(grad, d, block.Next(kRoot<S>));
          hn::Store(winner, di, won + block.used());
          position[block.vector()] = at;
          if (block.Advance()) flush();
        }
      }
    flush();
    WriteSums(d, program, lanes, (std::size_t{1} << conv.depth) - 1, sums);
  }
};

// kTogether vectors of samples on their way through a tree that is placed once. `in` and `grad_in` (which may be null)
// begin at the first.
template <class S, int kTogether>
class BackwardVectors {
 public:
  HWY_INLINE BackwardVectors(FloatTag d, const TreeAt<S>& tree, const float* HWY_RESTRICT in,
                             float* HWY_RESTRICT grad_in)
      : d_(d), tree_(tree), in_(in), grad_in_(grad_in) {}

  // Products of earlier vectors are in `sums` unless this is the first call.
  HWY_INLINE void Run(const float* HWY_RESTRICT grad, bool is_first, LaneSums& sums) {
    FloatVec up[kTogether];
    for (int t = 0; t < kTogether; ++t) up[t] = hn::Load(d_, grad + t * kLanes);
    Part<S, 0, 0>::EvaluateOperands(*this);
    Part<S, 0, 0>::GoBack(*this, up, is_first, sums);
  }

 private:
  // A part of the tree whose first leaf and gate are given.
  template <class P, int kLeaf, int kGate>
  struct Part;

  template <int kLeaf, int kGate>
  struct Part<Leaf, kLeaf, kGate> {
    static HWY_INLINE void EvaluateOperands(BackwardVectors&) {}
    static HWY_INLINE void Evaluate(BackwardVectors&) {}
    static HWY_INLINE FloatVec Value(const BackwardVectors& at, int t) {
      return hn::Load(at.d_, at.in_ + at.tree_.leaf[kLeaf] + t * kLanes);
    }
    static HWY_INLINE void GoBack(BackwardVectors& at, const FloatVec (&up)[kTogether], bool, LaneSums&) {
      if (at.grad_in_ == nullptr) return;
      for (int t = 0; t < kTogether; ++t) AddTo(at.d_, up[t], at.grad_in_ + at.tree_.leaf[kLeaf] + t * kLanes);
    }
  };

  template <class A, class B, int kLeaf, int kGate>
  struct Part<Branch<A, B>, kLeaf, kGate> {
    using OfA = Part<A, kLeaf, kGate>;
    using OfB = Part<B, kLeaf + A::kLeaves, kGate + A::kGates>;
    static constexpr int kOwn = kGate + A::kGates + B::kGates;

    static HWY_INLINE void EvaluateOperands(BackwardVectors& at) {
      OfA::Evaluate(at);
      OfB::Evaluate(at);
    }
    static HWY_INLINE void Evaluate(BackwardVectors& at) {
      EvaluateOperands(at);
      for (int t = 0; t < kTogether; ++t)
        at.value_[kOwn][t] = ApplyGate(at.d_, at.tree_.coefficients + 4 * kOwn, OfA::Value(at, t), OfB::Value(at, t));
    }
    static HWY_INLINE FloatVec Value(const BackwardVectors& at, int t) { return at.value_[kOwn][t]; }

    // A row may be a leaf twice: additions to it keep the order of the leaves.
    static HWY_INLINE void GoBack(BackwardVectors& at, const FloatVec (&up)[kTogether], bool is_first, LaneSums& sums) {
      const FloatTag d = at.d_;
      const float* c = at.tree_.coefficients + 4 * kOwn;
      const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
      GateSums total{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      if (!is_first) total.Load(d, sums.of(kOwn));
      FloatVec to_a[kTogether], to_b[kTogether];
      for (int t = 0; t < kTogether; ++t) {
        const FloatVec a = OfA::Value(at, t), b = OfB::Value(at, t);
        total.Add(up[t], a, b);
        to_a[t] = hn::Mul(up[t], hn::MulAdd(cab, b, ca));
        to_b[t] = hn::Mul(up[t], hn::MulAdd(cab, a, cb));
      }
      total.Store(d, sums.of(kOwn));
      OfA::GoBack(at, to_a, is_first, sums);
      OfB::GoBack(at, to_b, is_first, sums);
    }
  };

  FloatTag d_;
  const TreeAt<S>& tree_;
  const float* HWY_RESTRICT in_;
  float* HWY_RESTRICT grad_in_;
  FloatVec value_[S::kGates + 1][kTogether];  // of gates; none for a leaf alone
};

struct BackwardPrunedOnce {
  template <class S>
  static void Run(const BackwardPass& pass, std::size_t k, const TreeProgram& program, LaneSums& lanes,
                  float* HWY_RESTRICT sums) {
    const FloatTag d;
    const TreeAt<S> tree(pass.conv, k, program, pass.samples);
    const float* grad = GradientRow(pass.conv, k, 0, 0, pass.samples, pass.grad_out);
    const auto run = [&](auto together, std::size_t s) HWY_ATTR {
      BackwardVectors<S, together> vectors(d, tree, pass.in + s, pass.grad_in == nullptr ? nullptr : pass.grad_in + s);
      vectors.Run(grad + s, s == 0, lanes);
    };
    std::size_t s = 0;
    for (; s + 2 * kLanes <= pass.samples; s += 2 * kLanes) run(std::integral_constant<int, 2>(), s);
    for (; s < pass.samples; s += kLanes) run(std::integral_constant<int, 1>(), s);
    WriteSums(d, program, lanes, (std::size_t{1} << pass.conv.depth) - 1, sums);
  }
};

inline bool IsNeeded(const BackwardPass& pass, const TreeProgram& program) {
  if (pass.grad_in != nullptr && program.reads != 0) return true;
  for (const TreeStep& step : program.steps)
    if (step.learns) return true;
  return false;
}

inline void BackwardPruned(const BackwardPass& pass, std::size_t k, const TreeProgram& program, LaneSums& lanes,
                           float* HWY_RESTRICT sums) {
  if (!IsNeeded(pass, program)) {
    std::fill_n(sums, 4 * ((std::size_t{1} << pass.conv.depth) - 1), 0.0f);
    return;
  }
  const auto& run = IsPlacedOnce(pass.conv) ? kOfShape<BackwardPrunedOnce>
                    : pass.conv.pool == 1   ? kOfShape<BackwardPrunedPlain>
                                            : kOfShape<BackwardPrunedPooled>;
  run[program.shape](pass, k, program, lanes, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
