// The optimizer's arithmetic: Adam and AdamW on rows of sixteen logits, sums of shards, norms.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firn {

struct AdamStep {
  float learning_rate = 0;
  float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
  float rest1 = 0.1f, rest2 = 0.001f;      // 1 - beta; the difference of floats would be wrong in its fifth digit
  float correction1 = 1, correction2 = 1;  // 1 - beta^t
  float decay = 0;                         // decoupled: logits shrink by the factor 1 - learning_rate * decay
  float gradient_scale = 1;                // from clipping, and 1 / temperature
};

// The gradient of logit k is gradient_scale * weights[k] * scores[k]. Frozen rows (frozen[r] >= 0) stay as they are.
// False when a logit is no longer finite: nothing after this would show it, because a softmax swallows such numbers.
bool adam_rows(const AdamStep& step, std::size_t rows, const float* weights, const float* scores,
               const std::int8_t* frozen, float* logits, float* first_moment, float* second_moment);  // all [rows][16]

// Sum over the rows that are not frozen of (weights * scores)^2, in double.
double squared_gradient(std::size_t rows, const float* weights, const float* scores, const std::int8_t* frozen);

// total[i] = parts[0][i] + parts[1][i] + ..., in this order, for i in [0, count); count is a multiple of 16.
// `total` may be parts[0].
void add_shards(std::size_t shards, const float* const* parts, std::size_t count, float* total);

}  // namespace firn
