// The slot nearest to the mixture as a function: smallest mean squared distance over all values of the wires, every bit
// string equally likely. For sixteen gates on one pair this rounds the four entries of the mean truth table. Looks at
// no data.
//
// Distances are taken in the basis of products of signs, where they are sums over coefficients and slots with different
// wires cost nothing extra.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "firn/discretize/candidates.h"
#include "firn/discretize/selection.h"
#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"

namespace firn {
namespace {

using Monomial = std::pair<std::uint32_t, std::uint32_t>;  // wires in order; kNoWire where there are fewer
constexpr std::uint32_t kNoWire = ~std::uint32_t{0};

struct Term {
  Monomial monomial;
  double coefficient;
};

// A gate on two wires: at most four terms. On one wire twice, the product of signs is 1 and the two signs are one.
std::array<Term, 4> expand(Gate gate, std::uint32_t a, std::uint32_t b) {
  const double f00 = eval(gate, 0, 0), f01 = eval(gate, 0, 1), f10 = eval(gate, 1, 0), f11 = eval(gate, 1, 1);
  const Monomial none{kNoWire, kNoWire}, first{a, kNoWire}, second{b, kNoWire};
  const Monomial both = a == b ? none : Monomial{std::min(a, b), std::max(a, b)};
  return {{{none, (f00 + f01 + f10 + f11) / 4},
           {first, (f00 + f01 - f10 - f11) / 4},
           {second, (f00 - f01 + f10 - f11) / 4},
           {both, (f00 - f01 - f10 + f11) / 4}}};
}

// [16][2] wires of a neuron's slots; {0, 1} where all slots share one pair.
std::array<Monomial, kSlots> wires_of(const Layer& layer, std::size_t neuron) {
  std::array<Monomial, kSlots> wires;
  wires.fill({0, 1});
  const auto copy = [&](const auto& numbers) {
    for (std::size_t k = 0, j = neuron * kSlots; k < kSlots; ++k, ++j) wires[k] = {numbers[2 * j], numbers[2 * j + 1]};
  };
  if (const auto* dense = dynamic_cast<const SlotDenseLayer*>(&layer)) copy(dense->wires());
  if (const auto* conv = dynamic_cast<const SlotConvLayer*>(&layer)) copy(conv->taps());
  return wires;
}

class NearestTable final : public Selection {
 public:
  explicit NearestTable(const SelectionContext& context)
      : model_(context.model), temperature_(context.temperature), candidates_(context.settings.candidates) {}

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    const Layer* layer = &model_.layer(0);
    for (std::size_t l = 0, seen = layer->neurons().size(); seen <= group; seen += layer->neurons().size())
      layer = &model_.layer(++l);
    for (std::size_t i : neurons) freeze(i, nearest(*model_.neurons()[group], wires_of(*layer, i), i));
  }

 private:
  std::size_t nearest(const Neurons& neurons, const std::array<Monomial, kSlots>& wires, std::size_t i) const {
    const SlotWeights weights = slot_weights(neurons, i, temperature_);
    std::map<Monomial, double> mixture;
    std::array<std::array<Term, 4>, kSlots> slots;
    for (std::size_t k = 0; k < kSlots; ++k) {
      slots[k] = expand(neurons.gate(i, k), wires[k].first, wires[k].second);
      for (const Term& term : slots[k])
        mixture[term.monomial] += static_cast<double>(weights.values[k]) * term.coefficient;
    }
    // |slot|^2 - 2 slot * mixture; what is missing is the same for all slots.
    const auto distance = [&](const std::array<Term, 4>& slot) {
      std::map<Monomial, double> terms;
      for (const Term& term : slot) terms[term.monomial] += term.coefficient;
      double sum = 0;
      for (const auto& [monomial, c] : terms) sum += c * (c - 2 * mixture[monomial]);
      return sum;
    };
    const auto candidates = likeliest_slots(neurons, i, candidates_);
    return *std::ranges::min_element(candidates, {}, [&](std::size_t k) { return distance(slots[k]); });
  }

  Model& model_;
  double temperature_;
  std::size_t candidates_;
};

}  // namespace

std::unique_ptr<Selection> make_select_nearest_table(const SelectionContext& context) {
  return std::make_unique<NearestTable>(context);
}

}  // namespace firn
