#include "firn/kernels/mixture.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/mixture.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kParts = kSlots / kLanes;  // vectors in a row of sixteen

HWY_INLINE float MaxOf(FloatTag d, const float* HWY_RESTRICT row) {
  FloatVec top = hn::Load(d, row);
  for (std::size_t i = 1; i < kParts; ++i) top = hn::Max(top, hn::Load(d, row + i * kLanes));
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

void SoftmaxRows(std::size_t rows, const float* logits, float temperature, float* weights) {
  const FloatTag d;
  const FloatVec inverse = hn::Set(d, 1 / temperature);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = logits + r * kSlots;
    const FloatVec top = hn::Set(d, MaxOf(d, in));
    FloatVec part[kParts], sum = hn::Zero(d);
    for (std::size_t i = 0; i < kParts; ++i) {
      part[i] = hn::Exp(d, hn::Mul(hn::Sub(hn::Load(d, in + i * kLanes), top), inverse));
      sum = hn::Add(sum, part[i]);
    }
    const FloatVec scale = hn::Set(d, 1 / hn::GetLane(hn::SumOfLanes(d, sum)));
    for (std::size_t i = 0; i < kParts; ++i) {
      hn::Store(hn::Mul(part[i], scale), d, weights + r * kSlots + i * kLanes);
    }
  }
}

void MixCoefficients(std::size_t rows, const float* HWY_RESTRICT weights, const std::uint32_t* place,
                     float* HWY_RESTRICT coefficients) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows; ++r) {
    float* to = coefficients + 4 * (place != nullptr ? place[r] : r);
    for (int t = 0; t < 4; ++t) {
      FloatVec sum = hn::Zero(d);
      for (std::size_t i = 0; i < kParts; ++i) {
        sum = hn::MulAdd(hn::Load(d, weights + r * kSlots + i * kLanes),
                         hn::LoadU(d, kGateCoefficients[t] + i * kLanes), sum);
      }
      to[t] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

void ExpandSums(std::size_t rows, const float* HWY_RESTRICT sums, const std::uint32_t* place,
                float* HWY_RESTRICT grad_weights) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* from = sums + 4 * (place != nullptr ? place[r] : r);
    for (std::size_t i = 0; i < kParts; ++i) {
      FloatVec grad = hn::Mul(hn::Set(d, from[0]), hn::LoadU(d, kGateCoefficients[0] + i * kLanes));
      for (int t = 1; t < 4; ++t) {
        grad = hn::MulAdd(hn::Set(d, from[t]), hn::LoadU(d, kGateCoefficients[t] + i * kLanes), grad);
      }
      hn::Store(grad, d, grad_weights + r * kSlots + i * kLanes);
    }
  }
}

HWY_INLINE std::size_t ArgmaxOf(FloatTag d, const float* HWY_RESTRICT row) {
  const FloatVec top = hn::Set(d, MaxOf(d, row));
  for (std::size_t i = 0; i < kParts; ++i) {
    const intptr_t at = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, row + i * kLanes), top));
    if (at >= 0) return i * kLanes + static_cast<std::size_t>(at);
  }
  return 0;  // only if the row holds NaN; the trainer's guard reports that
}

void ScoreRows(std::size_t rows, const float* grad_weights, const float* HWY_RESTRICT weights, float* scores) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* q = weights + r * kSlots;
    const FloatVec pivot = hn::Set(d, grad_weights[r * kSlots + ArgmaxOf(d, q)]);
    // The pivot's own difference is exactly zero, so its weight, close to one, never enters the sum.
    FloatVec part[kParts], mean = hn::Zero(d);
    for (std::size_t i = 0; i < kParts; ++i) {
      part[i] = hn::Sub(hn::Load(d, grad_weights + r * kSlots + i * kLanes), pivot);
      mean = hn::MulAdd(hn::Load(d, q + i * kLanes), part[i], mean);
    }
    const FloatVec shift = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, mean)));
    for (std::size_t i = 0; i < kParts; ++i) hn::Store(hn::Sub(part[i], shift), d, scores + r * kSlots + i * kLanes);
  }
}

void ArgmaxRows(std::size_t rows, const float* HWY_RESTRICT values, std::uint8_t* HWY_RESTRICT argmax) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows; ++r) argmax[r] = static_cast<std::uint8_t>(ArgmaxOf(d, values + r * kSlots));
}

void EntropyRows(std::size_t rows, const float* HWY_RESTRICT weights, float* HWY_RESTRICT entropy) {
  const FloatTag d;
  const FloatVec tiny = hn::Set(d, 1e-37f);  // ln 0 is kept finite; the product with 0 is 0 all the same
  const float scale = -1 / std::log(static_cast<float>(kSlots));
  for (std::size_t r = 0; r < rows; ++r) {
    FloatVec sum = hn::Zero(d);
    for (std::size_t i = 0; i < kParts; ++i) {
      const FloatVec q = hn::Load(d, weights + r * kSlots + i * kLanes);
      sum = hn::MulAdd(q, hn::Log(d, hn::Max(q, tiny)), sum);
    }
    entropy[r] = HWY_MAX(0.f, scale * hn::GetLane(hn::SumOfLanes(d, sum)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(SoftmaxRows);
HWY_EXPORT(MixCoefficients);
HWY_EXPORT(ExpandSums);
HWY_EXPORT(ScoreRows);
HWY_EXPORT(ArgmaxRows);
HWY_EXPORT(EntropyRows);

void softmax_rows(std::size_t rows, const float* logits, float temperature, float* weights) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRows)(rows, logits, temperature, weights);
}

void mix_coefficients(std::size_t rows, const float* weights, const std::uint32_t* place, float* coefficients) {
  HWY_DYNAMIC_DISPATCH(MixCoefficients)(rows, weights, place, coefficients);
}

void expand_sums(std::size_t rows, const float* sums, const std::uint32_t* place, float* grad_weights) {
  HWY_DYNAMIC_DISPATCH(ExpandSums)(rows, sums, place, grad_weights);
}

void score_rows(std::size_t rows, const float* grad_weights, const float* weights, float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreRows)(rows, grad_weights, weights, scores);
}

void argmax_rows(std::size_t rows, const float* values, std::uint8_t* argmax) {
  HWY_DYNAMIC_DISPATCH(ArgmaxRows)(rows, values, argmax);
}

void entropy_rows(std::size_t rows, const float* weights, float* entropy) {
  HWY_DYNAMIC_DISPATCH(EntropyRows)(rows, weights, entropy);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
