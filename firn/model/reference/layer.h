// The formulas of a layer and of the head for one sample, slow and obvious: what the fast layers must compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/model/reference/neuron.h"
#include "firn/network/head.h"
#include "firn/network/layer.h"

namespace firn::model::reference {

// Any layer that can be described, for mixture weights q [neurons][16]. T = float, double or long double; forward also
// for Jet2. What it is made of must outlive it.
struct Layer {
  const LayerDescription& wiring;
  const std::vector<std::uint8_t>& opcodes;  // [neurons][16] where neurons have slots of their own, else empty

  Slots slots(std::size_t unit, std::size_t gate) const {
    Slots slots;
    for (std::size_t k = 0; k < kSlots; ++k)
      slots[k] = {static_cast<Gate>(wiring.has_own_slots ? opcodes[unit * kSlots + k] : k), wiring.operand(gate, k, 0),
                  wiring.operand(gate, k, 1)};
    return slots;
  }

  // Taps, then gates; the last node is the unit's output.
  template <class T>
  Values<T> nodes(const T* q, const Values<T>& in, std::size_t unit, std::size_t output, std::size_t position) const {
    Values<T> nodes;
    for (std::size_t t = 0; t < wiring.taps; ++t) {
      const std::uint32_t feature = wiring.feature(unit, t, output, position);
      nodes.push_back(feature == kOutside ? T(0) : in[feature]);
    }
    for (std::size_t g = 0; g < wiring.gates; ++g)
      nodes.push_back(neuron_value(slots(unit, g), q + (unit * wiring.gates + g) * kSlots, nodes));
    return nodes;
  }

  // The position of the pool with the largest value, the first on ties.
  template <class T>
  std::size_t winner(const T* q, const Values<T>& in, std::size_t unit, std::size_t output) const {
    std::size_t winner = 0;
    if (wiring.pool.size() == 1) return winner;
    T best = nodes(q, in, unit, output, 0).back();
    for (std::size_t p = 1; p < wiring.pool.size(); ++p)
      if (const T value = nodes(q, in, unit, output, p).back(); value > best) {
        best = value;
        winner = p;
      }
    return winner;
  }

  template <class T>
  Values<T> forward(const T* q, const Values<T>& in) const {
    Values<T> out;
    for (std::size_t u = 0; u < wiring.units(); ++u)
      for (std::size_t o = 0; o < wiring.unit_outputs(); ++o)
        out.push_back(nodes(q, in, u, o, winner(q, in, u, o)).back());
    return out;
  }

  // Adds the gradients in the input and in the weights.
  template <class T>
  void backward(const T* q, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T* grad_q) const {
    for (std::size_t u = 0; u < wiring.units(); ++u)
      for (std::size_t o = 0; o < wiring.unit_outputs(); ++o)
        unit_backward(q, in, u, o, grad_out[u * wiring.unit_outputs() + o], grad_in, grad_q);
  }

 private:
  template <class T>
  void unit_backward(const T* q, const Values<T>& in, std::size_t unit, std::size_t output, const T& up,
                     Values<T>& grad_in, T* grad_q) const {
    const std::size_t position = winner(q, in, unit, output);
    const Values<T> value = nodes(q, in, unit, output, position);
    Values<T> grad(value.size(), T(0));
    grad.back() = up;
    for (std::size_t g = wiring.gates; g-- > 0;) {
      const std::size_t row = (unit * wiring.gates + g) * kSlots;
      neuron_backward(slots(unit, g), q + row, value, T(grad[wiring.taps + g]), grad, grad_q + row);
    }
    for (std::size_t t = 0; t < wiring.taps; ++t)
      if (const std::uint32_t feature = wiring.feature(unit, t, output, position); feature != kOutside)
        grad_in[feature] += grad[t];
  }
};

// Contiguous groups are summed, scaled and shifted.
template <class T>
Values<T> class_sums(const Head& head, const Values<T>& in) {
  Values<T> sums(head.groups, T(0));
  for (std::size_t i = 0; i < in.size(); ++i) sums[i / (in.size() / head.groups)] += in[i];
  for (T& sum : sums) sum = T(head.offset) + T(head.factor) * sum;
  return sums;
}

// The gradient in the outputs that the head sums.
template <class T>
Values<T> class_sums_backward(const Head& head, std::size_t outputs, const Values<T>& grad_sums) {
  Values<T> grad;
  for (std::size_t i = 0; i < outputs; ++i) grad.push_back(T(head.factor) * grad_sums[i / (outputs / head.groups)]);
  return grad;
}

}  // namespace firn::model::reference
