// Chains of gates: each gate after the first reads the one before it and an input row of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firn::kernels {

inline constexpr std::size_t kMaxChainGates = 31;

// Gate 0 of chain n reads rows wires[0] (operand a) and wires[1] (operand b); gate g reads gate g - 1 and row
// wires[g + 1]. The last gate writes row n.
struct ChainGates {
  std::size_t chains = 0;
  std::size_t gates = 1;                 // of each chain, at most kMaxChainGates
  const std::uint32_t* wires = nullptr;  // [chains][gates + 1] input rows
  const float* coefficients = nullptr;   // [chains][gates][4], each for 1, a, b, ab
  std::size_t grad_run = 1;              // chains that share one row of grad_out
};

// `samples` is the length of a row in floats, a multiple of 16.
void chain_forward(const ChainGates& layer, std::size_t samples, const float* in, float* out);

// Adds to grad_in (null where nobody needs it) and writes sums [chains][gates][4]: the gradient times 1, a, b, ab
// summed over samples.
void chain_backward(const ChainGates& layer, std::size_t samples, const float* in, const float* grad_out,
                    float* grad_in, float* sums);

}  // namespace firn::kernels
