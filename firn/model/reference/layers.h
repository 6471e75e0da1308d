// The formulas of every layer for one sample, slow and obvious: what the fast layers must compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/shape.h"
#include "firn/model/reference/neuron.h"

namespace firn::reference {

// Every layer offers
//   forward(q, in)                          the output values, for mixture weights q [neurons][16]
//   backward(q, in, grad_out, grad_in, grad_q)  adds the gradients in the input and in the weights
// for T = float and double; forward also for Jet2.

// The feature at line y and column x of a channel, where y and x start `padding` before the image.
inline std::size_t feature_at(const Shape& shape, std::size_t channel, std::size_t y, std::size_t x,
                              std::size_t padding) {
  if (y < padding || x < padding || y - padding >= shape.height || x - padding >= shape.width) return kOutside;
  return (channel * shape.height + y - padding) * shape.width + x - padding;
}

// Gates with one pair each.
struct Dense {
  std::vector<std::uint32_t> wires;  // [neurons][2] features

  std::size_t neurons() const { return wires.size() / 2; }
  Slots slots(std::size_t n) const { return slots_on_pair(wires[2 * n], wires[2 * n + 1]); }

  template <class T>
  Values<T> forward(const T* q, const Values<T>& in) const {
    Values<T> out;
    for (std::size_t n = 0; n < neurons(); ++n) out.push_back(neuron_value(slots(n), q + n * kSlots, in));
    return out;
  }

  template <class T>
  void backward(const T* q, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T* grad_q) const {
    for (std::size_t n = 0; n < neurons(); ++n)
      neuron_backward(slots(n), q + n * kSlots, in, grad_out[n], grad_in, grad_q + n * kSlots);
  }
};

// Sixteen slots per neuron, each with its own gate and its own pair.
struct SlotDense {
  std::vector<std::uint8_t> opcodes;  // [neurons][16]
  std::vector<std::uint32_t> wires;   // [neurons][16][2] features

  std::size_t neurons() const { return opcodes.size() / kSlots; }
  Slots slots(std::size_t n) const {
    Slots slots;
    for (std::size_t k = 0, j = n * kSlots; k < kSlots; ++k, ++j)
      slots[k] = {static_cast<Gate>(opcodes[j]), wires[2 * j], wires[2 * j + 1]};
    return slots;
  }

  template <class T>
  Values<T> forward(const T* q, const Values<T>& in) const {
    Values<T> out;
    for (std::size_t n = 0; n < neurons(); ++n) out.push_back(neuron_value(slots(n), q + n * kSlots, in));
    return out;
  }

  template <class T>
  void backward(const T* q, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T* grad_q) const {
    for (std::size_t n = 0; n < neurons(); ++n)
      neuron_backward(slots(n), q + n * kSlots, in, grad_out[n], grad_in, grad_q + n * kSlots);
  }
};

// Calls body(channel, y, x, number) for every feature of a shape, in the order of their numbers.
template <class Body>
void for_each_feature(const Shape& shape, const Body& body) {
  std::size_t number = 0;
  for (std::size_t c = 0; c < shape.channels; ++c)
    for (std::size_t y = 0; y < shape.height; ++y)
      for (std::size_t x = 0; x < shape.width; ++x) body(c, y, x, number++);
}

// One neuron of sixteen slots per output channel, on one input channel, at every position.
struct SlotConv {
  Shape in_shape, out_shape;
  std::size_t side = 3, padding = 1, stride = 1;
  std::vector<std::uint32_t> channels;  // [kernels] the input channel that each kernel reads
  std::vector<std::uint8_t> opcodes;    // [kernels][16]
  std::vector<std::uint8_t> taps;       // [kernels][16][2] line * side + column in the window

  Slots slots(std::size_t k, std::size_t y, std::size_t x) const {
    const auto operand = [&](std::uint8_t tap) {
      return feature_at(in_shape, channels[k], y * stride + tap / side, x * stride + tap % side, padding);
    };
    Slots slots;
    for (std::size_t i = 0, j = k * kSlots; i < kSlots; ++i, ++j)
      slots[i] = {static_cast<Gate>(opcodes[j]), operand(taps[2 * j]), operand(taps[2 * j + 1])};
    return slots;
  }

  template <class T>
  Values<T> forward(const T* q, const Values<T>& in) const {
    Values<T> out(out_shape.size());
    for_each_feature(out_shape, [&](std::size_t k, std::size_t y, std::size_t x, std::size_t number) {
      out[number] = neuron_value(slots(k, y, x), q + k * kSlots, in);
    });
    return out;
  }

  template <class T>
  void backward(const T* q, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T* grad_q) const {
    for_each_feature(out_shape, [&](std::size_t k, std::size_t y, std::size_t x, std::size_t number) {
      neuron_backward(slots(k, y, x), q + k * kSlots, in, grad_out[number], grad_in, grad_q + k * kSlots);
    });
  }
};

// The position with the largest value, the first on ties.
template <class T>
std::size_t first_winner(const std::vector<T>& candidates) {
  std::size_t winner = 0;
  for (std::size_t p = 1; p < candidates.size(); ++p)
    if (candidates[p] > candidates[winner]) winner = p;
  return winner;
}

// Maximum over 2 x 2 positions; the gradient goes to the first winner.
struct OrPool {
  Shape in_shape, out_shape;

  std::vector<std::size_t> window(std::size_t c, std::size_t y, std::size_t x) const {
    const std::size_t first = feature_at(in_shape, c, 2 * y, 2 * x, 0);
    return {first, first + 1, first + in_shape.width, first + in_shape.width + 1};
  }

  template <class T>
  std::size_t winner(const Values<T>& in, std::size_t c, std::size_t y, std::size_t x) const {
    const std::vector<std::size_t> features = window(c, y, x);
    return features[first_winner<T>({in[features[0]], in[features[1]], in[features[2]], in[features[3]]})];
  }

  template <class T>
  Values<T> forward(const T*, const Values<T>& in) const {
    Values<T> out(out_shape.size());
    for_each_feature(out_shape, [&](std::size_t c, std::size_t y, std::size_t x, std::size_t number) {
      out[number] = in[winner(in, c, y, x)];
    });
    return out;
  }

  template <class T>
  void backward(const T*, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T*) const {
    for_each_feature(out_shape, [&](std::size_t c, std::size_t y, std::size_t x, std::size_t number) {
      grad_in[winner(in, c, y, x)] += grad_out[number];
    });
  }
};

// Contiguous groups are summed, scaled and shifted.
struct GroupSum {
  std::size_t groups = 1;
  double factor = 1, offset = 0;

  template <class T>
  Values<T> forward(const T*, const Values<T>& in) const {
    Values<T> sums(groups);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i / (in.size() / groups)] += in[i];
    Values<T> out;
    for (const T& sum : sums) out.push_back(T(offset) + T(factor) * sum);
    return out;
  }

  template <class T>
  void backward(const T*, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T*) const {
    for (std::size_t i = 0; i < in.size(); ++i) grad_in[i] += T(factor) * grad_out[i / (in.size() / groups)];
  }
};

}  // namespace firn::reference
