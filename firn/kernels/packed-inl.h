// Packed rows as vectors of floats, and back.
#if defined(FIRN_KERNELS_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_PACKED_INL_H_
#undef FIRN_KERNELS_PACKED_INL_H_
#else
#define FIRN_KERNELS_PACKED_INL_H_
#endif

#include <type_traits>

#include "firn/kernels/packed.h"
#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

inline constexpr float kExponent = 8388608;   // 2^23: added to an integer below it, the integer is the mantissa
inline constexpr int kExponentBits = 0x4B00;  // the upper half of 2^23

// Vectors of 2^23 + packed value, and their inverse from values between 0 and 1.
template <std::size_t kVectors>
HWY_INLINE void Unpack(FloatTag d, const PackedValue* HWY_RESTRICT row, FloatVec* HWY_RESTRICT values) {
  static_assert(kVectors == 1);
  const hn::Rebind<std::int32_t, FloatTag> whole;
  const auto low = hn::PromoteTo(whole, hn::Load(hn::Rebind<PackedValue, FloatTag>(), row));
  values[0] = hn::BitCast(d, hn::Or(low, hn::Set(whole, kExponentBits << 16)));
}
// Vectors are narrowed as signed integers, hence the detour by -1 to 0.
HWY_INLINE auto ToPacked(FloatTag d, FloatVec value) {
  return hn::NearestInt(hn::MulAdd(value, hn::Set(d, kPackedOne), hn::Set(d, -kPackedOne)));
}
template <std::size_t kVectors>
HWY_INLINE void Pack(FloatTag d, const FloatVec* HWY_RESTRICT values, PackedValue* HWY_RESTRICT row) {
  static_assert(kVectors == 1);
  const hn::Rebind<PackedValue, FloatTag> packed;
  const auto narrow = hn::BitCast(packed, hn::DemoteTo(hn::Rebind<std::int16_t, FloatTag>(), ToPacked(d, values[0])));
  hn::Store(hn::Xor(narrow, hn::Set(packed, PackedValue{0x8000})), packed, row);
}

#if HWY_TARGET == HWY_SCALAR
inline constexpr std::size_t kShareLoad = 1;
#else
// Two vectors share a load. It is aligned only where rows are multiples of 32 samples.
inline constexpr std::size_t kShareLoad = 2;
template <>
HWY_INLINE void Unpack<2>(FloatTag d, const PackedValue* HWY_RESTRICT row, FloatVec* HWY_RESTRICT values) {
  const hn::Repartition<PackedValue, FloatTag> packed;
  const auto low = hn::LoadU(packed, row), high = hn::Set(packed, PackedValue{kExponentBits});
  values[0] = hn::BitCast(d, hn::InterleaveLower(packed, low, high));
  values[1] = hn::BitCast(d, hn::InterleaveUpper(packed, low, high));
}
template <>
HWY_INLINE void Pack<2>(FloatTag d, const FloatVec* HWY_RESTRICT values, PackedValue* HWY_RESTRICT row) {
  const hn::Repartition<PackedValue, FloatTag> packed;
  const hn::Repartition<std::int16_t, FloatTag> narrow;
  const auto both = hn::ReorderDemote2To(narrow, ToPacked(d, values[0]), ToPacked(d, values[1]));
  hn::StoreU(hn::Xor(hn::BitCast(packed, both), hn::Set(packed, PackedValue{0x8000})), packed, row);
}
#endif

// Calls body(first sample, number of vectors as a constant) until a row is done.
template <class Body>
HWY_INLINE void ForVectors(std::size_t samples, const Body& body) {
  std::size_t s = 0;
  for (; s + kShareLoad * kLanes <= samples; s += kShareLoad * kLanes)
    body(s, std::integral_constant<std::size_t, kShareLoad>());
  if constexpr (kShareLoad * kLanes > 16)
    for (; s < samples; s += kLanes) body(s, std::integral_constant<std::size_t, 1>());
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
