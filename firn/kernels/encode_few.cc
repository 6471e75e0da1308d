// Comparison of up to eight samples with thresholds. Features of a sample are compared 64 at a time, as encode.cc does
// it for blocks; with a few samples there is nothing to transpose.
#include <algorithm>
#include <cstring>

#include "firn/kernels/encode_reals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/encode_few.cc"
#include <hwy/foreach_target.h>
// After foreach_target: the order is Highway's.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kWord = 64;

// Adds bit `sample` to 64 bytes, one for each value: is it above its threshold?
HWY_INLINE void add_sample(const std::uint8_t* values, const std::uint8_t* thresholds, std::size_t sample,
                           std::uint8_t* bytes) {
  const hn::CappedTag<std::uint8_t, kWord> d;
  const auto bit = hn::Set(d, static_cast<std::uint8_t>(1u << sample));
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d)) {
    const auto above = hn::Gt(hn::LoadU(d, values + i), hn::LoadU(d, thresholds + i));
    hn::StoreU(hn::Or(hn::LoadU(d, bytes + i), hn::IfThenElseZero(above, bit)), d, bytes + i);
  }
}

HWY_INLINE void add_sample(const float* values, const float* thresholds, std::size_t sample, std::uint8_t* bytes) {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> db;
  const auto bit = hn::Set(di, std::int32_t{1} << sample);
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d)) {
    const auto above = hn::RebindMask(di, hn::Gt(hn::LoadU(d, values + i), hn::LoadU(d, thresholds + i)));
    const auto bits = hn::DemoteTo(db, hn::IfThenElseZero(above, bit));
    hn::StoreU(hn::Or(hn::LoadU(db, bytes + i), bits), db, bytes + i);
  }
}

template <class T>
void threshold_bytes_of(const Samples<T>& samples, const Matrix<T>& thresholds, std::uint8_t* rows) {
  alignas(kCacheLine) T last[kByteSamples][kWord] = {};  // where loading 64 values would go beyond what is readable
  for (std::size_t feature = 0; feature < samples.features; feature += kWord) {
    const std::size_t features = std::min(kWord, samples.features - feature);
    const bool in_place = feature + kWord <= samples.readable;
    if (!in_place)
      for (std::size_t s = 0; s < samples.count; ++s)
        std::memcpy(last[s], samples.sample(s) + feature, features * sizeof(T));
    for (std::size_t t = 0; t < thresholds.rows(); ++t) {
      alignas(kWord) std::uint8_t bytes[kWord] = {};
      for (std::size_t s = 0; s < samples.count; ++s)
        add_sample(in_place ? samples.sample(s) + feature : last[s], thresholds.row(t) + feature, s, bytes);
      std::uint8_t* out = rows + t * samples.features + feature;
      features == kWord ? std::memcpy(out, bytes, kWord) : std::memcpy(out, bytes, features);
    }
  }
}

}  // namespace

void threshold_byte_bytes(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                          std::uint8_t* rows) {
  threshold_bytes_of(samples, thresholds, rows);
}

void threshold_real_bytes(const Samples<float>& samples, const Matrix<float>& thresholds, std::uint8_t* rows) {
  threshold_bytes_of(samples, thresholds, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
namespace {

HWY_EXPORT(threshold_byte_bytes);
HWY_EXPORT(threshold_real_bytes);

template <class T>
void check_bytes(const Samples<T>& samples, const Matrix<T>& thresholds, std::span<const std::uint8_t> rows) {
  FIRN_CHECK(thresholds.cols() == samples.features && rows.size() >= thresholds.rows() * samples.features);
  FIRN_CHECK(samples.count <= kByteSamples && thresholds.stride() % 64 == 0);
}

}  // namespace

void threshold_bytes(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                     std::span<std::uint8_t> rows) {
  check_bytes(samples, thresholds, rows);
  HWY_DYNAMIC_DISPATCH(threshold_byte_bytes)(samples, thresholds, rows.data());
}

void threshold_bytes(const Samples<float>& samples, const Matrix<float>& thresholds, std::span<std::uint8_t> rows) {
  check_bytes(samples, thresholds, rows);
  HWY_DYNAMIC_DISPATCH(threshold_real_bytes)(samples, thresholds, rows.data());
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
