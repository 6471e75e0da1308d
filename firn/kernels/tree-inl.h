// What the forward and the backward pass of tree convolutions share.
#if defined(FIRN_KERNELS_TREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_INL_H_
#undef FIRN_KERNELS_TREE_INL_H_
#else
#define FIRN_KERNELS_TREE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"
#include "firn/kernels/tree.h"

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

inline constexpr int kMostLeaves = 1 << kMaxTreeDepth;
inline constexpr int kMostGates = kMostLeaves - 1;

HWY_INLINE bool IsPlacedOnce(const TreeConv& conv) {
  return conv.pool == 1 && conv.out_height * conv.out_width == 1;
}

// Pruned trees have kernels of their own.
HWY_INLINE bool IsWhole(const TreeConv& conv, const TreeProgram& program) {
  return program.steps.size() + 1 == std::size_t{1} << conv.depth;
}

// Trees that are placed once read rows at random: asking for them some trees early hides the latency of the cache.
inline constexpr std::size_t kTreesAhead = 3;

template <int kDepth>
HWY_INLINE void PrefetchLeaves(const TreeConv& conv, std::size_t tree, std::size_t samples, const float* rows) {
  if (tree >= conv.filters) return;
  for (int l = 0; l < Tree<kDepth>::kLeaves; ++l) {
    const float* row = rows + conv.leaves[tree * Tree<kDepth>::kLeaves + l] * samples;
    for (std::size_t s = 0; s < samples; s += 16) hwy::Prefetch(row + s);
  }
}

// Asks for the planes that the next filter reads and adds to, a little at every output of this one, where the rows of
// all planes are too many for L2. Filters choose planes at random, so no processor foresees them. This makes the
// backward pass of TreeLogicNet-M almost one and a half times as fast. It does not help where rows are nearer, as those
// of S are, nor a pass that only reads.
class PlanesAhead {
  static constexpr std::size_t kFloatsInL2 = std::size_t{1} << 20;

 public:
  PlanesAhead(const TreeConv& conv, std::size_t k, std::size_t samples) : length_(conv.in_plane * samples) {
    if (conv.pool == 1 || k + 1 == conv.filters || conv.pushes->planes() * length_ <= kFloatsInL2) return;
    const std::size_t leaves = std::size_t{1} << conv.depth, outputs = conv.out_height * conv.out_width;
    portion_ = (length_ / outputs + 15) / 16 * 16;
    for (std::size_t l = 0; l < leaves; ++l) {
      const std::size_t plane = conv.leaves[(k + 1) * leaves + l] / conv.in_plane * length_;
      bool is_new = true;
      for (std::size_t i = 0; i < count_; ++i) is_new &= first_[i] != plane;
      if (is_new) first_[count_++] = plane;
    }
  }

  // Call this once for every output.
  HWY_INLINE void Advance(const float* in, const float* grad_in) {
    if (count_ == 0) return;
    const std::size_t end = HWY_MIN(at_ + portion_, length_);
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t at = first_[i] + at_; at < first_[i] + end; at += 16) {
        hwy::Prefetch(in + at);
        hwy::Prefetch(grad_in + at);
      }
    at_ = end;
  }

 private:
  std::size_t length_, portion_ = 0, at_ = 0;  // floats
  std::size_t count_ = 0;
  std::size_t first_[kMostLeaves];
};

using IntTag = hn::RebindToSigned<FloatTag>;

// The vectors over lanes that add up to the four sums of each gate.
class LaneSums {
 public:
  float* of(std::size_t index) { return lanes_ + 4 * index * kLanes; }

  void Clear(FloatTag d, std::size_t gates) {
    for (std::size_t i = 0; i < Vectors(gates) * kLanes; i += kLanes) hn::Store(hn::Zero(d), d, lanes_ + i);
  }

  // total[4 i + t] = sum over the lanes of vector t of entry i.
  void AddUp(FloatTag d, std::size_t gates, float* HWY_RESTRICT total) const {
    HWY_ALIGN float all[4 * (kMostGates + 1)];
    SumEach(d, lanes_, Vectors(gates), all);
    for (std::size_t i = 0; i < 4 * gates; ++i) total[i] = all[i];
  }

 private:
  static std::size_t Vectors(std::size_t gates) { return (4 * gates + 15) / 16 * 16; }  // as SumEach takes them

  HWY_ALIGN float lanes_[4 * (kMostGates + 1) * kLanes];
};

struct GateSums {
  FloatVec s0, sa, sb, sab;

  HWY_INLINE void Add(FloatVec up, FloatVec a, FloatVec b) {
    const FloatVec up_a = hn::Mul(up, a);
    s0 = hn::Add(s0, up);
    sa = hn::Add(sa, up_a);
    sb = hn::MulAdd(up, b, sb);
    sab = hn::MulAdd(up_a, b, sab);
  }
  HWY_INLINE void Load(FloatTag d, const float* HWY_RESTRICT from) {
    s0 = hn::Load(d, from);
    sa = hn::Load(d, from + kLanes);
    sb = hn::Load(d, from + 2 * kLanes);
    sab = hn::Load(d, from + 3 * kLanes);
  }
  HWY_INLINE void Store(FloatTag d, float* HWY_RESTRICT to) const {
    hn::Store(s0, d, to);
    hn::Store(sa, d, to + kLanes);
    hn::Store(sb, d, to + 2 * kLanes);
    hn::Store(sab, d, to + 3 * kLanes);
  }
};

// Back through one gate: gradients of the operands replace their values.
template <bool kDeltas, bool kLearns>
HWY_INLINE void BackThroughGate(FloatTag d, const float* HWY_RESTRICT c, const float* HWY_RESTRICT delta,
                                float* HWY_RESTRICT a, float* HWY_RESTRICT b, std::size_t count,
                                float* HWY_RESTRICT lanes) {
  const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
  GateSums sums;
  if constexpr (kLearns) sums.Load(d, lanes);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const FloatVec up = hn::Load(d, delta + i), va = hn::Load(d, a + i), vb = hn::Load(d, b + i);
    if constexpr (kLearns) sums.Add(up, va, vb);
    if constexpr (kDeltas) {
      hn::Store(hn::Mul(up, hn::MulAdd(cab, vb, ca)), d, a + i);
      hn::Store(hn::Mul(up, hn::MulAdd(cab, va, cb)), d, b + i);
    }
  }
  if constexpr (kLearns) sums.Store(d, lanes);
}

HWY_INLINE hn::Mask<FloatTag> Wins(FloatTag d, hn::Vec<IntTag> winner, int placement) {
  const IntTag di;
  return hn::RebindMask(d, hn::Eq(winner, hn::Set(di, placement)));
}

HWY_INLINE const float* GradientRow(const TreeConv& conv, std::size_t k, std::size_t y, std::size_t x,
                                    std::size_t samples, const float* grad_out) {
  return grad_out + (conv.out_first + k / conv.grad_run * conv.out_plane + y * conv.out_line + x) * samples;
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
