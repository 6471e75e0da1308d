// Transposes squares of 64 by 64 bits, one in each lane.
#if defined(FIRN_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TRANSPOSE_INL_H_
#undef FIRN_KERNELS_TRANSPOSE_INL_H_
#else
#define FIRN_KERNELS_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Exchanges the bits of x whose number has bit kShift set with those of y whose number has it clear: one step of the
// transposition of a square of bits, of which x and y are lines kShift apart.
template <int kShift, class D, class V = hn::Vec<D>>
HWY_INLINE void exchange_bits(D d, V& x, V& y) {
  const V low = hn::Set(d, ~std::uint64_t{0} / ((std::uint64_t{1} << kShift) + 1));
#if HWY_TARGET == HWY_AVX3  // selects bit by bit in one operation
  const V right = hn::ShiftRight<kShift>(x);
  x = hn::IfVecThenElse(low, x, hn::ShiftLeft<kShift>(y));
  y = hn::IfVecThenElse(low, right, y);
#else
  const V moved = hn::And(hn::Xor(hn::ShiftRight<kShift>(x), y), low);
  y = hn::Xor(y, moved);
  x = hn::Xor(x, hn::ShiftLeft<kShift>(moved));
#endif
}

// Three of the six steps for the eight lines that are kStride apart from `first` on.
template <std::size_t kStride, class D>
HWY_INLINE void transpose_eight(D d, std::uint64_t* HWY_RESTRICT first) {
  constexpr int kShift = static_cast<int>(kStride);
  const std::size_t step = kStride * hn::Lanes(d);
  auto v0 = hn::Load(d, first), v1 = hn::Load(d, first + step), v2 = hn::Load(d, first + 2 * step),
       v3 = hn::Load(d, first + 3 * step), v4 = hn::Load(d, first + 4 * step), v5 = hn::Load(d, first + 5 * step),
       v6 = hn::Load(d, first + 6 * step), v7 = hn::Load(d, first + 7 * step);
  exchange_bits<4 * kShift>(d, v0, v4);
  exchange_bits<4 * kShift>(d, v1, v5);
  exchange_bits<4 * kShift>(d, v2, v6);
  exchange_bits<4 * kShift>(d, v3, v7);
  exchange_bits<2 * kShift>(d, v0, v2);
  exchange_bits<2 * kShift>(d, v1, v3);
  exchange_bits<2 * kShift>(d, v4, v6);
  exchange_bits<2 * kShift>(d, v5, v7);
  exchange_bits<kShift>(d, v0, v1);
  exchange_bits<kShift>(d, v2, v3);
  exchange_bits<kShift>(d, v4, v5);
  exchange_bits<kShift>(d, v6, v7);
  hn::Store(v0, d, first);
  hn::Store(v1, d, first + step);
  hn::Store(v2, d, first + 2 * step);
  hn::Store(v3, d, first + 3 * step);
  hn::Store(v4, d, first + 4 * step);
  hn::Store(v5, d, first + 5 * step);
  hn::Store(v6, d, first + 6 * step);
  hn::Store(v7, d, first + 7 * step);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
