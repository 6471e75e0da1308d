// The arithmetic of optimizers on rows of sixteen logits, norms of gradients, sums of shards.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/mixture.h"

namespace firn::kernels {

// The gradient of some rows of logits as a backward pass leaves it: that of logit k of row r is
// scale * weights[r][k] * scores[r][k]. The product is formed while it is read and stored nowhere.
struct GradientRows {
  const float* weights;       // [rows][16] softmax weights of the backward pass
  const float* scores;        // [rows][16] first-order scores
  const std::int8_t* frozen;  // [rows]; a row with frozen[r] >= 0 has no gradient and never moves
  float scale = 1;            // 1 / temperature, and what clipping leaves
};

struct AdamStep {
  float learning_rate = 0;
  float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
  float rest1 = 0.1f, rest2 = 0.001f;      // 1 - beta; the difference of floats would be wrong in its fifth digit
  float correction1 = 1, correction2 = 1;  // 1 - beta^t
  float decay = 0;                         // decoupled: logits shrink by the factor 1 - learning_rate * decay
};

// False when a logit is no longer finite: nothing after this would show it, because a softmax swallows such numbers.
bool adam_rows(const AdamStep& step, std::size_t rows, const GradientRows& gradient, float* logits, float* first_moment,
               float* second_moment);  // [rows][16] each

struct SgdStep {
  float learning_rate = 0;
  float momentum = 0;
  float decay = 0;  // as in AdamStep
};

// velocity = momentum * velocity + gradient; logits shrink by the decay and lose learning_rate * velocity. False as
// above.
bool sgd_rows(const SgdStep& step, std::size_t rows, const GradientRows& gradient, float* logits,
              float* velocity);  // [rows][16] each

// The gradient itself, for code without a kernel of its own; 0 in frozen rows.
void write_gradient(std::size_t rows, const GradientRows& gradient, float* out);  // [rows][16]

// Sum over the rows that are not frozen of (weights * scores)^2, in double. The scale is left out.
double squared_gradient(std::size_t rows, const GradientRows& gradient);

// total[i] = the sum of parts[0][i], parts[1][i], ... in the order of the tree of base/pairwise_tree.h, for i in
// [first, first + count), both multiples of 16. `total` may be one of the parts.
void add_shards(std::size_t shards, const float* const* parts, std::size_t first, std::size_t count, float* total);

// The same for some rows of sixteen, numbered from row `first` of the parts; total is [rows][16], from that row on.
void add_shard_rows(std::size_t shards, const float* const* parts, std::size_t first, RowList rows, float* total);

}  // namespace firn::kernels
