// As many vectors as a vector has lanes: each reduced to one lane, or all of them transposed.
//
// Reducing a vector alone halves it until one lane is left, and most lanes of every step are thrown away. Here vectors
// exchange lanes in pairs, so that each operation reduces two of them and no lane is idle: half as many operations, and
// the latency of one reduction instead of sixteen. Lanes i and i + half are reduced first, then quarters, pairs and
// neighbours, which is the order of Highway's SumOfLanes on x86: sums have the same bits.
#if defined(FIRN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_LANES_INL_H_
#undef FIRN_KERNELS_LANES_INL_H_
#else
#define FIRN_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Exchanges lanes of x whose number has the bit kBit set with lanes of y whose number has it clear.
template <std::size_t kBit>
HWY_INLINE void Exchange(FloatTag d, FloatVec& x, FloatVec& y) {
#if HWY_TARGET != HWY_SCALAR
  const FloatVec low = x, high = y;
  if constexpr (kBit == 1) {
    x = hn::OddEven(hn::DupEven(high), low);
    y = hn::OddEven(high, hn::DupOdd(low));
  } else if constexpr (kBit == 2) {
    const hn::Repartition<std::uint64_t, FloatTag> pairs;
    x = hn::BitCast(d, hn::InterleaveLower(pairs, hn::BitCast(pairs, low), hn::BitCast(pairs, high)));
    y = hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, low), hn::BitCast(pairs, high)));
  } else if constexpr (2 * kBit == kLanes) {
    x = hn::ConcatLowerLower(d, high, low);
    y = hn::ConcatUpperUpper(d, high, low);
  } else {
    static_assert(kBit == 4);
    x = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high), low);
    y = hn::OddEvenBlocks(high, hn::SwapAdjacentBlocks(low));
  }
#endif
}

struct AddLanes {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b) const { return hn::Add(a, b); }
};
struct MaxLanes {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b) const { return hn::Max(a, b); }
};

// Lane i of the result: the lanes of vector(first + i) reduced to one.
template <class Operation, std::size_t kStride = 1, class Vector>
HWY_INLINE FloatVec ReduceEach(FloatTag d, const Vector& vector, std::size_t first) {
  if constexpr (kStride == kLanes) {
    return vector(first);
  } else {
    FloatVec even = ReduceEach<Operation, 2 * kStride>(d, vector, first);
    FloatVec odd = ReduceEach<Operation, 2 * kStride>(d, vector, first + kStride);
    Exchange<kStride>(d, even, odd);
    return Operation()(even, odd);
  }
}

template <std::size_t kBit, std::size_t... kIndices>
HWY_INLINE void TransposeFrom(FloatTag d, FloatVec* HWY_RESTRICT square, std::index_sequence<kIndices...> indices) {
  if constexpr (kBit > 0) {
    const auto exchange = [&](auto index) HWY_ATTR {
      if constexpr ((index & kBit) == 0) Exchange<kBit>(d, square[index], square[index | kBit]);
    };
    (exchange(std::integral_constant<std::size_t, kIndices>()), ...);
    TransposeFrom<kBit / 2>(d, square, indices);
  }
}

// Lane i of vector k and lane k of vector i change places, for kLanes vectors.
HWY_INLINE void Transpose(FloatTag d, FloatVec* HWY_RESTRICT square) {
  TransposeFrom<kLanes / 2>(d, square, std::make_index_sequence<kLanes>());
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
