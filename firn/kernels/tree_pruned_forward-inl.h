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

template <class S>
class PrunedTree {
 public:
  HWY_INLINE PrunedTree(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples,
                        const float* in)
      : tree_(conv, k, program, samples), in_(in) {}

  template <std::size_t kStreams>
  HWY_INLINE void Evaluate(FloatTag d, const std::size_t (&at)[kStreams], FloatVec (&value)[kStreams]) const {
    const float* from[kStreams];
    for (std::size_t s = 0; s < kStreams; ++s) from[s] = in_ + at[s];
    Evaluation<S>::template Run<0, 0>(d, tree_, from, value);
  }

 private:
  TreeAt<S> tree_;
  const float* in_;
};

struct ForwardPrunedPlain {
  template <class S>
  static void Run(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples, const float* in,
                  const FilterOutput& out) {
    ForwardPlain(conv, samples, PrunedTree<S>(conv, k, program, samples, in), out);
  }
};

struct ForwardPrunedPooled {
  template <class S>
  static void Run(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples, const float* in,
                  const FilterOutput& out) {
    ForwardPooled(conv, samples, PrunedTree<S>(conv, k, program, samples, in), out);
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
