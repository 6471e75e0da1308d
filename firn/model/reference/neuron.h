// One neuron of the reference: sixteen slots, each a gate on two values, mixed by weights. Forward and backward.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/logic/gate.h"

namespace firn::model::reference {

// The features of one sample, numbered as in Shape, or the nodes of a unit.
template <class T>
using Values = std::vector<T>;

struct Slot {
  Gate gate;
  std::size_t a, b;  // which values
};
using Slots = std::array<Slot, kSlots>;

// All sixteen gates on one pair.
inline Slots slots_on_pair(std::size_t a, std::size_t b) {
  Slots slots;
  for (std::size_t k = 0; k < kSlots; ++k) slots[k] = {static_cast<Gate>(k), a, b};
  return slots;
}

template <class T>
T gate_value(Gate g, const T& a, const T& b) {
  const auto c = coefficients(g);
  return T(c[0]) + T(c[1]) * a + T(c[2]) * b + T(c[3]) * a * b;
}

// Derivatives of a gate's value in a and in b.
template <class T>
T slope_in_a(Gate g, const T& b) {
  const auto c = coefficients(g);
  return T(c[1]) + T(c[3]) * b;
}
template <class T>
T slope_in_b(Gate g, const T& a) {
  const auto c = coefficients(g);
  return T(c[2]) + T(c[3]) * a;
}

// The mixture of the slots' gates with weights q[0..15]. A frozen neuron has a one-hot q.
template <class T>
T neuron_value(const Slots& slots, const T* q, const Values<T>& x) {
  T sum(0);
  for (std::size_t k = 0; k < kSlots; ++k) sum += q[k] * gate_value(slots[k].gate, x[slots[k].a], x[slots[k].b]);
  return sum;
}

// Adds the gradient in the weights to grad_q[0..15] and the gradient in the values to grad_x, given the gradient `up`
// in the neuron's output.
template <class T>
void neuron_backward(const Slots& slots, const T* q, const Values<T>& x, const T& up, Values<T>& grad_x, T* grad_q) {
  for (std::size_t k = 0; k < kSlots; ++k) {
    const Slot& slot = slots[k];
    const T a = x[slot.a], b = x[slot.b];
    grad_q[k] += up * gate_value(slot.gate, a, b);
    grad_x[slot.a] += up * q[k] * slope_in_a(slot.gate, b);
    grad_x[slot.b] += up * q[k] * slope_in_b(slot.gate, a);
  }
}

}  // namespace firn::model::reference
