#include "firn/kernels/update.h"

#include <hwy/cache_control.h>

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/update.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

constexpr std::size_t kAhead = 16;  // rows

bool AdamRows(const AdamStep& step, std::size_t rows, const GradientRows& gradient, float* HWY_RESTRICT logits,
              float* HWY_RESTRICT first_moment, float* HWY_RESTRICT second_moment) {
  const float* HWY_RESTRICT weights = gradient.weights;
  const float* HWY_RESTRICT scores = gradient.scores;
  const std::int8_t* HWY_RESTRICT frozen = gradient.frozen;
  const FloatTag d;
  const FloatVec beta1 = hn::Set(d, step.beta1), rest1 = hn::Set(d, step.rest1);
  const FloatVec beta2 = hn::Set(d, step.beta2), rest2 = hn::Set(d, step.rest2);
  const FloatVec scale = hn::Set(d, gradient.scale);
  const FloatVec rate = hn::Set(d, step.learning_rate / step.correction1);
  const FloatVec inverse2 = hn::Set(d, 1 / step.correction2), epsilon = hn::Set(d, step.epsilon);
  const FloatVec keep = hn::Set(d, 1 - step.learning_rate * step.decay);
  FloatVec wrong = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r) {
    if (frozen[r] >= 0) continue;
    // Weights and scores have just been computed. These three come from far away: prefetching them saves a tenth of
    // the pass from gradients to logits.
    if (r + kAhead < rows && frozen[r + kAhead] < 0) {
      hwy::Prefetch(logits + (r + kAhead) * kSlots);
      hwy::Prefetch(first_moment + (r + kAhead) * kSlots);
      hwy::Prefetch(second_moment + (r + kAhead) * kSlots);
    }
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

bool SgdRows(const SgdStep& step, std::size_t rows, const GradientRows& gradient, float* HWY_RESTRICT logits,
             float* HWY_RESTRICT velocity) {
  const float* HWY_RESTRICT weights = gradient.weights;
  const float* HWY_RESTRICT scores = gradient.scores;
  const FloatTag d;
  const FloatVec scale = hn::Set(d, gradient.scale), momentum = hn::Set(d, step.momentum);
  const FloatVec rate = hn::Set(d, step.learning_rate), keep = hn::Set(d, 1 - step.learning_rate * step.decay);
  FloatVec wrong = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r) {
    if (gradient.frozen[r] >= 0) continue;
    for (std::size_t i = r * kSlots; i < (r + 1) * kSlots; i += kLanes) {
      const FloatVec g = hn::Mul(hn::Mul(hn::Load(d, weights + i), scale), hn::Load(d, scores + i));
      const FloatVec v = hn::MulAdd(momentum, hn::Load(d, velocity + i), g);
      const FloatVec logit = hn::NegMulAdd(rate, v, hn::Mul(hn::Load(d, logits + i), keep));
      wrong = hn::Add(wrong, hn::Sub(logit, logit));  // zero, but NaN for infinity and NaN
      hn::Store(logit, d, logits + i);
      hn::Store(v, d, velocity + i);
    }
  }
  return hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
}

void WriteGradient(std::size_t rows, const GradientRows& gradient, float* HWY_RESTRICT out) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, gradient.scale);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = r * kSlots; i < (r + 1) * kSlots; i += kLanes) {
      const FloatVec g = hn::Mul(hn::Mul(hn::Load(d, gradient.weights + i), scale), hn::Load(d, gradient.scores + i));
      hn::Store(gradient.frozen[r] >= 0 ? hn::Zero(d) : g, d, out + i);
    }
}

double SquaredGradient(std::size_t rows, const GradientRows& gradient) {
  const float* HWY_RESTRICT weights = gradient.weights;
  const float* HWY_RESTRICT scores = gradient.scores;
  const std::int8_t* HWY_RESTRICT frozen = gradient.frozen;
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

// One pass over the parts, whatever their number: sums of complete subtrees wait on a stack, the largest at the bottom,
// as the ones of a binary counter of the shards read so far. Four shards at a time are a subtree of their own, which is
// all there is to do for the usual batch of four.
HWY_INLINE FloatVec SumOfShards(FloatTag d, std::size_t shards, const float* const* HWY_RESTRICT parts, std::size_t i) {
  const std::size_t fours = shards / 4;
  FloatVec waiting[64];
  const auto load = [&](std::size_t shard) HWY_ATTR { return hn::Load(d, parts[shard] + i); };
  std::size_t height = 0;
  for (std::size_t four = 0; four < fours; ++four) {
    const std::size_t s = 4 * four;
    FloatVec sum = hn::Add(hn::Add(load(s), load(s + 1)), hn::Add(load(s + 2), load(s + 3)));
    for (std::size_t carry = four; carry % 2 == 1; carry /= 2) sum = hn::Add(waiting[--height], sum);
    waiting[height++] = sum;
  }
  if (shards % 4 >= 2) waiting[height++] = hn::Add(load(4 * fours), load(4 * fours + 1));
  if (shards % 2 == 1) waiting[height++] = load(shards - 1);
  FloatVec sum = waiting[--height];
  while (height > 0) sum = hn::Add(waiting[--height], sum);
  return sum;
}

void AddShards(std::size_t shards, const float* const* HWY_RESTRICT parts, std::size_t first, std::size_t count,
               float* total) {
  const FloatTag d;
  for (std::size_t i = first; i < first + count; i += kLanes) hn::Store(SumOfShards(d, shards, parts, i), d, total + i);
}

void AddShardRows(std::size_t shards, const float* const* HWY_RESTRICT parts, std::size_t first, RowList rows,
                  float* HWY_RESTRICT total) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows.count; ++r)
    for (std::size_t i = rows[r] * kSlots; i < (rows[r] + 1) * kSlots; i += kLanes)
      hn::Store(SumOfShards(d, shards, parts, first * kSlots + i), d, total + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(AdamRows);
HWY_EXPORT(SgdRows);
HWY_EXPORT(WriteGradient);
HWY_EXPORT(SquaredGradient);
HWY_EXPORT(AddShards);
HWY_EXPORT(AddShardRows);

bool adam_rows(const AdamStep& step, std::size_t rows, const GradientRows& gradient, float* logits, float* first_moment,
               float* second_moment) {
  return HWY_DYNAMIC_DISPATCH(AdamRows)(step, rows, gradient, logits, first_moment, second_moment);
}

bool sgd_rows(const SgdStep& step, std::size_t rows, const GradientRows& gradient, float* logits, float* velocity) {
  return HWY_DYNAMIC_DISPATCH(SgdRows)(step, rows, gradient, logits, velocity);
}

void write_gradient(std::size_t rows, const GradientRows& gradient, float* out) {
  HWY_DYNAMIC_DISPATCH(WriteGradient)(rows, gradient, out);
}

double squared_gradient(std::size_t rows, const GradientRows& gradient) {
  return HWY_DYNAMIC_DISPATCH(SquaredGradient)(rows, gradient);
}

void add_shards(std::size_t shards, const float* const* parts, std::size_t first, std::size_t count, float* total) {
  FIRN_CHECK(shards > 0 && first % 16 == 0 && count % 16 == 0);
  HWY_DYNAMIC_DISPATCH(AddShards)(shards, parts, first, count, total);
}

void add_shard_rows(std::size_t shards, const float* const* parts, std::size_t first, RowList rows, float* total) {
  FIRN_CHECK(shards > 0);
  HWY_DYNAMIC_DISPATCH(AddShardRows)(shards, parts, first, rows, total);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
