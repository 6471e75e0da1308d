#include "firn/discretize/nearest_slot.h"

#include <algorithm>

namespace firn::discretize {

namespace {

// E[g h] over independent fair bits on the (up to four) wires of two gates.
double mean_product(const GateOnWires& g, const GateOnWires& h) {
  const std::uint32_t wires[4] = {g.a, g.b, h.a, h.b};
  int bit[4];  // which of the enumerated bits a wire reads: its first equal
  for (int i = 0; i < 4; ++i) bit[i] = static_cast<int>(std::find(wires, wires + i, wires[i]) - wires);
  int both = 0;
  for (int bits = 0; bits < 16; ++bits) {
    const auto read = [&](int i) { return ((bits >> bit[i]) & 1) != 0; };
    both += eval(g.gate, read(0), read(1)) && eval(h.gate, read(2), read(3));
  }
  return both / 16.0;
}

}  // namespace

std::array<GateOnWires, kSlots> slots_on_wires(const LayerDescription& wiring, const Neurons& neurons, std::size_t i) {
  const std::size_t unit = i / wiring.gates, gate = i % wiring.gates;
  // Only the places of slots of one neuron are compared, so that a number for channel and place will do.
  const auto wire = [&](std::size_t slot, std::size_t side) {
    const std::size_t node = wiring.operand(gate, slot, side);
    if (!wiring.has_own_slots) return static_cast<std::uint32_t>(node);
    const std::size_t tap = unit * wiring.taps + node, place = wiring.tap_place.empty() ? 0 : wiring.tap_place[tap];
    return static_cast<std::uint32_t>(wiring.tap_channel[tap] * wiring.window.size() + place);
  };
  std::array<GateOnWires, kSlots> slots;
  for (std::size_t k = 0; k < kSlots; ++k) slots[k] = {neurons.gate(i, k), wire(k, 0), wire(k, 1)};
  return slots;
}

std::size_t nearest_slot(const std::array<GateOnWires, kSlots>& slots, const std::array<double, kSlots>& weights,
                         std::span<const std::size_t> candidates) {
  constexpr double kTie = 1e-12;
  // |g_k - mixture|^2 without the part that all slots share.
  const auto distance = [&](std::size_t k) {
    double sum = mean_product(slots[k], slots[k]);
    for (std::size_t h = 0; h < kSlots; ++h) sum -= 2 * weights[h] * mean_product(slots[k], slots[h]);
    return sum;
  };
  std::size_t best = candidates.front();
  double least = distance(best);
  for (std::size_t k : candidates.subspan(1))
    if (const double d = distance(k); d < least - kTie) {
      best = k;
      least = d;
    }
  return best;
}

}  // namespace firn::discretize
