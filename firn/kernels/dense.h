// Layers of gates with one fixed input pair each, and sums over groups of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/packed.h"

namespace firn::kernels {

// Neuron n reads rows wires[2n] (operand a) and wires[2n + 1] (operand b) and writes row n.
struct DenseGates {
  std::size_t neurons = 0;
  const std::uint32_t* wires = nullptr;  // [neurons][2] input rows
  const float* coefficients = nullptr;   // [neurons][4], each for 1, a, b, ab
  const std::int8_t* frozen = nullptr;   // [neurons] not negative: no weight gradient wanted; may be null
  std::size_t grad_run = 1;              // neurons that share one row of grad_out
};

// `samples` is the length of a row, a multiple of 16. Writes float rows or packed ones; the other is null.
void dense_forward(const DenseGates& gates, std::size_t samples, const PackedValue* in, float* out,
                   PackedValue* packed_out);

// Adds to grad_in (null where nobody needs it) and writes sums [neurons][4]: the gradient times 1, a, b, ab summed over
// samples. Sums of frozen neurons are meaningless.
void dense_backward(const DenseGates& gates, std::size_t samples, const PackedValue* in, const float* grad_out,
                    float* grad_in, float* sums);

// out[g] = offset + scale * (sum of the rows of group g); groups are contiguous blocks of `group_rows` rows.
void group_sum_forward(std::size_t groups, std::size_t group_rows, float scale, float offset, std::size_t samples,
                       const float* in, float* out);

// grad_in row = scale * grad_out of its group.
void group_sum_backward(std::size_t groups, std::size_t group_rows, float scale, std::size_t samples,
                        const float* grad_out, float* grad_in);

}  // namespace firn::kernels
