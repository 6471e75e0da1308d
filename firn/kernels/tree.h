// Convolutions by trees of gates, fused with OR-pooling: forward, and backward through the winners of the pool only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/placements.h"
#include "firn/kernels/tree_program.h"
#include "firn/kernels/tree_pushes.h"

namespace firn::kernels {

// A layer of tree filters over `[feature][sample]` rows. Tree k has 2^depth leaves and 2^depth - 1 gates, numbered from
// the leaves to the root: gate j of a level reads nodes 2j (operand a) and 2j + 1 (operand b) of the level below.
// With one output position and no pooling this is a stack of dense layers whose wires never meet.
struct TreeConv : Placements {
  int depth = 3;
  int pool = 1;  // 1: none; 2: maximum over 2 x 2 positions
  std::size_t filters = 0;
  const std::uint32_t* leaves = nullptr;   // [filters][2^depth] input row read at output position (0, 0)
  const float* coefficients = nullptr;     // [filters][gates][4], each for 1, a, b, ab
  const TreePrograms* programs = nullptr;  // what there is to do for each filter
  const TreePushes* pushes = nullptr;      // for gradients of the input of pooled filters
  std::size_t grad_run = 1;                // filters that share one row of grad_out; without pooling only
};

// `samples` is the length of a row in floats, a multiple of 16. `winners` holds, for every pooled output in kernel, y,
// x order, one byte per sample: the first position with the maximum. It may be null where pool is 1.
void tree_conv_forward(const TreeConv& conv, std::size_t samples, const float* in, float* out, std::uint8_t* winners);

// Adds to grad_in (null where nobody needs it) and writes sums [filters][gates][4]: the gradient times 1, a, b, ab
// summed over samples and positions. Sums of frozen gates mean nothing.
void tree_conv_backward(const TreeConv& conv, std::size_t samples, const float* in, const float* grad_out,
                        const std::uint8_t* winners, float* grad_in, float* sums);

}  // namespace firn::kernels
