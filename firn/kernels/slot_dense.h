// Dense layers whose neurons choose among sixteen slots, each with its own gate and its own pair of wires.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/mixture.h"
#include "firn/kernels/packed.h"

namespace firn::kernels {

// The slots of a neuron in the order in which they run: true gates, which read a pair of rows; then gates that read one
// row; then constants, which read none.
struct SlotDense {
  std::size_t neurons = 0;
  const std::uint32_t* rows = nullptr;   // [neurons][32] input rows: two per pair, then one per single
  const std::uint8_t* codes = nullptr;   // [neurons][16] 16 * slot + gate
  const std::uint8_t* counts = nullptr;  // [neurons][2] pairs, singles
  const float* weights = nullptr;        // [neurons][16] of the forward pass, by slot
  const std::int8_t* frozen = nullptr;   // [neurons] the only slot that counts, or -1
  std::size_t grad_run = 1;              // neurons that share one row of grad_out
};

// `samples` is the length of a row, a multiple of 16. Writes float rows or packed ones; the other is null.
void slot_dense_forward(const SlotDense& layer, std::size_t samples, const PackedValue* in, float* out,
                        PackedValue* packed_out);

// Adds to grad_in (null where nobody needs it) and writes grad_weights [neurons][16]; rows of frozen neurons are left
// as they are.
void slot_dense_backward(const SlotDense& layer, std::size_t samples, const PackedValue* in, const float* grad_out,
                         float* grad_in, float* grad_weights);

// The same on bits, and without a gradient for them.
void slot_bits_forward(const SlotDense& layer, std::size_t samples, const BitRows& in, float* out,
                       PackedValue* packed_out);
void slot_bits_backward(const SlotDense& layer, std::size_t samples, const BitRows& in, const float* grad_out,
                        float* grad_weights);

}  // namespace firn::kernels
