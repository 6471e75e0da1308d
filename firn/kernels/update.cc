#include "firn/kernels/update.h"

#include "firn/base/error.h"
#include "firn/kernels/mixture.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/update.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn {
namespace HWY_NAMESPACE {

bool AdamRows(const AdamStep& step, std::size_t rows, const float* HWY_RESTRICT weights,
              const float* HWY_RESTRICT scores, const std::int8_t* HWY_RESTRICT frozen, float* HWY_RESTRICT logits,
              float* HWY_RESTRICT first_moment, float* HWY_RESTRICT second_moment) {
  const FloatTag d;
  const FloatVec beta1 = hn::Set(d, step.beta1), rest1 = hn::Set(d, step.rest1);
  const FloatVec beta2 = hn::Set(d, step.beta2), rest2 = hn::Set(d, step.rest2);
  const FloatVec scale = hn::Set(d, step.gradient_scale);
  const FloatVec rate = hn::Set(d, step.learning_rate / step.correction1);
  const FloatVec inverse2 = hn::Set(d, 1 / step.correction2), epsilon = hn::Set(d, step.epsilon);
  const FloatVec keep = hn::Set(d, 1 - step.learning_rate * step.decay);
  FloatVec wrong = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r) {
    if (frozen[r] >= 0) continue;
    for (std::size_t i = r * kSlots; i < (r + 1) * kSlots; i += kLanes) {
      const FloatVec g = hn::Mul(hn::Mul(hn::Load(d, weights + i), scale), hn::Load(d, scores + i));
      const FloatVec m = hn::MulAdd(beta1, hn::Load(d, first_moment + i), hn::Mul(rest1, g));
      const FloatVec v = hn::MulAdd(beta2, hn::Load(d, second_moment + i), hn::Mul(hn::Mul(rest2, g), g));
      const FloatVec spread = hn::Add(hn::Sqrt(hn::Mul(v, inverse2)), epsilon);
      const FloatVec move = hn::Div(hn::Mul(rate, m), spread);
      const FloatVec logit = hn::Sub(hn::Mul(hn::Load(d, logits + i), keep), move);
      wrong = hn::Add(wrong, hn::Sub(logit, logit));  // zero, but NaN for infinity and NaN
      hn::Store(logit, d, logits + i);
      hn::Store(m, d, first_moment + i);
      hn::Store(v, d, second_moment + i);
    }
  }
  return hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
}

double SquaredGradient(std::size_t rows, const float* HWY_RESTRICT weights, const float* HWY_RESTRICT scores,
                       const std::int8_t* HWY_RESTRICT frozen) {
  const FloatTag d;
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    if (frozen[r] >= 0) continue;
    FloatVec sum = hn::Zero(d);
    for (std::size_t i = r * kSlots; i < (r + 1) * kSlots; i += kLanes) {
      const FloatVec g = hn::Mul(hn::Load(d, weights + i), hn::Load(d, scores + i));
      sum = hn::MulAdd(g, g, sum);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  return total;
}

void AddShards(std::size_t shards, const float* const* HWY_RESTRICT parts, std::size_t count, float* total) {
  const FloatTag d;
  for (std::size_t i = 0; i < count; i += kLanes) {
    FloatVec sum = hn::Load(d, parts[0] + i);
    for (std::size_t shard = 1; shard < shards; ++shard) sum = hn::Add(sum, hn::Load(d, parts[shard] + i));
    hn::Store(sum, d, total + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn {
HWY_EXPORT(AdamRows);
HWY_EXPORT(SquaredGradient);
HWY_EXPORT(AddShards);

bool adam_rows(const AdamStep& step, std::size_t rows, const float* weights, const float* scores,
               const std::int8_t* frozen, float* logits, float* first_moment, float* second_moment) {
  return HWY_DYNAMIC_DISPATCH(AdamRows)(step, rows, weights, scores, frozen, logits, first_moment, second_moment);
}

double squared_gradient(std::size_t rows, const float* weights, const float* scores, const std::int8_t* frozen) {
  return HWY_DYNAMIC_DISPATCH(SquaredGradient)(rows, weights, scores, frozen);
}

void add_shards(std::size_t shards, const float* const* parts, std::size_t count, float* total) {
  FIRN_CHECK(shards > 0 && count % 16 == 0);
  HWY_DYNAMIC_DISPATCH(AddShards)(shards, parts, count, total);
}

}  // namespace firn
#endif  // HWY_ONCE
