// Depthwise convolutions whose neurons choose among sixteen slots, each a gate on two places of one window.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/mixture.h"
#include "firn/kernels/placements.h"

namespace firn::kernels {

inline constexpr std::size_t kMaxTaps = 25;

// One neuron per output channel, shared by all positions; it reads one input channel through a square window whose
// places ("taps") are numbered line by line.
struct SlotConv : Placements {
  std::size_t filters = 0;
  std::size_t side = 3;                       // of the window
  const std::uint32_t* first_rows = nullptr;  // [filters] input row of tap 0 at output position (0, 0)
  const std::uint8_t* taps = nullptr;         // [filters][16][2]
  const std::uint8_t* opcodes = nullptr;      // [filters][16]
  const float* weights = nullptr;             // [filters][16] of the forward pass
  const std::int8_t* frozen = nullptr;        // [filters] the only slot that counts, or -1
};

// `samples` is the length of a row in floats, a multiple of 16.
void slot_conv_forward(const SlotConv& layer, std::size_t samples, const float* in, float* out);

// Adds to grad_in (null where nobody needs it) and writes grad_weights [filters][16]; rows of frozen neurons are left
// as they are.
void slot_conv_backward(const SlotConv& layer, std::size_t samples, const float* in, const float* grad_out,
                        float* grad_in, float* grad_weights);

}  // namespace firn::kernels
