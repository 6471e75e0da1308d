// Forward pass of trees that freezing has pruned, in registers like that of whole ones.
#if defined(FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#undef FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#else
#define FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree_output-inl.h"
#include "firn/kernels/tree_shapes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// The value of a part of a tree whose first leaf and gate are given, for kStreams rows at once: several rows share one
// load of the coefficients.
template <class Part>
struct Evaluation;

template <>
struct Evaluation<Leaf> {
  template <int kLeaf, int kGate, class Tree, std::size_t kStreams>
  static HWY_INLINE void Run(FloatTag d, const Tree& tree, const float* const (&in)[kStreams],
                             FloatVec (&value)[kStreams]) {
    for (std::size_t s = 0; s < kStreams; ++s) value[s] = hn::Load(d, in[s] + tree.leaf[kLeaf]);
  }
};

template <class A, class B>
struct Evaluation<Branch<A, B>> {
  template <int kLeaf, int kGate, class Tree, std::size_t kStreams>
  static HWY_INLINE void Run(FloatTag d, const Tree& tree, const float* const (&in)[kStreams],
                             FloatVec (&value)[kStreams]) {
    FloatVec a[kStreams], b[kStreams];
    Evaluation<A>::template Run<kLeaf, kGate>(d, tree, in, a);
    Evaluation<B>::template Run<kLeaf + A::kLeaves, kGate + A::kGates>(d, tree, in, b);
    const float* c = tree.coefficients + 4 * (kGate + A::kGates + B::kGates);
    const FloatVec c0 = hn::Set(d, c[0]), ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
    for (std::size_t s = 0; s < kStreams; ++s)
      value[s] = hn::MulAdd(hn::MulAdd(cab, a[s], cb), b[s], hn::MulAdd(ca, a[s], c0));
  }
};

struct ForwardPrunedPlain {
  template <class S>
  static void Run(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples, const float* in,
                  const FilterOutput& out) {
    const FloatTag d;
    const TreeAt<S> tree(conv, k, program, samples);
    for (std::size_t y = 0; y < conv.out_height; ++y)
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        const float* from = in + (y * conv.in_line + x) * conv.stride * samples;
        float* to = out.row(y, x);
        std::size_t s = 0;
        for (; s + 2 * kLanes <= samples; s += 2 * kLanes) {
          FloatVec value[2];
          Evaluation<S>::template Run<0, 0>(d, tree, {from + s, from + s + kLanes}, value);
          hn::Store(value[0], d, to + s);
          hn::Store(value[1], d, to + s + kLanes);
        }
        for (; s < samples; s += kLanes) {
          FloatVec value[1];
          Evaluation<S>::template Run<0, 0>(d, tree, {from + s}, value);
          hn::Store(value[0], d, to + s);
        }
      }
  }
};

struct ForwardPrunedPooled {
  template <class S>
  static void Run(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples, const float* in,
                  const FilterOutput& out) {
    const FloatTag d;
    const TreeAt<S> tree(conv, k, program, samples);
    const std::size_t right = conv.stride * samples;
    for (std::size_t y = 0; y < conv.out_height; ++y)
      for (std::size_t x = 0; x < conv.out_width; ++x)
        for (std::size_t s = 0; s < samples; s += kLanes) {
          const float* first = in + (2 * y * conv.in_line + 2 * x) * right + s;
          const float* below = first + conv.in_line * right;
          FloatVec value[4];
          Evaluation<S>::template Run<0, 0>(d, tree, {first, first + right, below, below + right}, value);
          StoreMaximum(d, value, out.row(y, x) + s, out.winners(y, x) + s);
        }
  }
};

inline void ForwardPruned(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples,
                          const float* in, const FilterOutput& out) {
  const auto& run = conv.pool == 1 ? kOfShape<ForwardPrunedPlain> : kOfShape<ForwardPrunedPooled>;
  run[program.shape](conv, k, program, samples, in, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
