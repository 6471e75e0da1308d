// Helpers shared by the kernels: vectors over samples, gates in coefficient form, and sums over lanes.
#if defined(FIRN_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_ROWS_INL_H_
#undef FIRN_KERNELS_ROWS_INL_H_
#else
#define FIRN_KERNELS_ROWS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sixteen lanes at most: rows are padded to sixteen samples, so no kernel has a tail.
using FloatTag = hn::CappedTag<float, 16>;
using FloatVec = hn::Vec<FloatTag>;
inline constexpr std::size_t kLanes = hn::MaxLanes(FloatTag());

// Asks for all cache lines of a row.
HWY_INLINE void PrefetchRow(const void* row, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) hwy::Prefetch(static_cast<const char*>(row) + at);
}

// c0 + ca*a + cb*b + cab*a*b in three fused operations.
HWY_INLINE FloatVec ApplyGate(FloatTag d, const float* HWY_RESTRICT c, FloatVec a, FloatVec b) {
  const FloatVec slope_b = hn::MulAdd(hn::Set(d, c[3]), a, hn::Set(d, c[2]));
  return hn::MulAdd(slope_b, b, hn::MulAdd(hn::Set(d, c[1]), a, hn::Set(d, c[0])));
}

#if HWY_TARGET != HWY_SCALAR
// Neighbouring lanes added: the lower half of the result comes from `low`, the upper half from `high`.
HWY_INLINE FloatVec AddNeighbours(FloatTag d, FloatVec low, FloatVec high) {
  return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
}
#endif

template <std::size_t kCount>
HWY_INLINE FloatVec SumEachOf(FloatTag d, const float* HWY_RESTRICT vectors) {
  if constexpr (kCount == 1) {
    return hn::Load(d, vectors);
  } else {
    return AddNeighbours(d, SumEachOf<kCount / 2>(d, vectors), SumEachOf<kCount / 2>(d, vectors + kCount / 2 * kLanes));
  }
}

// sums[i] = sum of the lanes of vector i, for `count` vectors (a multiple of kLanes) stored one after the other. A tree
// of neighbour sums costs three operations a vector; summing each vector alone would cost two for every halving.
HWY_INLINE void SumEach(FloatTag d, const float* HWY_RESTRICT vectors, std::size_t count, float* HWY_RESTRICT sums) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    hn::StoreU(SumEachOf<kLanes>(d, vectors + i * kLanes), d, sums + i);
  }
}

HWY_INLINE void AddTo(FloatTag d, FloatVec v, float* HWY_RESTRICT to) {
  hn::Store(hn::Add(hn::Load(d, to), v), d, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
