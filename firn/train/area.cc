#include "firn/train/area.h"

#include "firn/base/family.h"

namespace firn::training {

namespace {

constexpr std::array<float, kGates> areas_by(float (*area)(Gate)) {
  std::array<float, kGates> areas{};
  for (std::size_t g = 0; g < areas.size(); ++g) areas[g] = area(static_cast<Gate>(g));
  return areas;
}

constexpr bool is_xor(Gate gate) {
  return gate == Gate::kXor || gate == Gate::kXnor;
}

constexpr bool is_gate(Gate gate) {
  return depends_on_a(gate) && depends_on_b(gate);
}

constexpr float and_nodes(Gate gate) {
  if (!is_gate(gate)) return 0;
  return is_xor(gate) ? 3 : 1;
}

constexpr float two_input_gates(Gate gate) {
  return is_gate(gate) ? 1 : 0;
}

// Cells of the OSU 0.18 um library in units of its NAND2X1 of 24 um²: INVX1 16, NOR2X1 24, AND2X1 and OR2X1 32, XOR2X1
// and XNOR2X1 56. Gates that invert one operand are a NAND or a NOR with an inverter.
constexpr float nand_equivalents(Gate gate) {
  constexpr float kNand = 24, kInverter = 16, kAnd = 32, kXor = 56;
  switch (gate) {
    case Gate::kFalse:
    case Gate::kTrue:
    case Gate::kA:
    case Gate::kB:
      return 0;
    case Gate::kNotA:
    case Gate::kNotB:
      return kInverter / kNand;
    case Gate::kNand:
    case Gate::kNor:
      return 1;
    case Gate::kAnd:
    case Gate::kOr:
      return kAnd / kNand;
    case Gate::kXor:
    case Gate::kXnor:
      return kXor / kNand;
    case Gate::kAndNot:
    case Gate::kNotAnd:
    case Gate::kOrNot:
    case Gate::kNotOr:
      return (kNand + kInverter) / kNand;
  }
  return 0;
}

constexpr std::array kTargets = {
    AreaTarget{"and", "AND nodes of an and-inverter graph: an XOR takes three", areas_by(and_nodes)},
    AreaTarget{"gate", "two-input gates of any kind", areas_by(two_input_gates)},
    AreaTarget{"nand", "NAND equivalents of a standard-cell library", areas_by(nand_equivalents)},
};

float expected_area(const Neurons& neurons, const std::array<float, kGates>& areas, std::size_t i) {
  const float* weights = neurons.gradient_weights().row(i);
  float sum = 0;
  for (std::size_t k = 0; k < kSlots; ++k) sum += weights[k] * areas[static_cast<std::size_t>(neurons.gate(i, k))];
  return sum;
}

}  // namespace

std::span<const AreaTarget> area_targets() {
  return kTargets;
}

const AreaTarget& find_area_target(std::string_view name) {
  return entry_named(name, kTargets, "target of area.target");
}

AreaPrice::AreaPrice(const Model& model, const AreaSettings& settings)
    : areas_(find_area_target(settings.target).areas) {
  std::size_t gates = 0;
  for (std::size_t l = 0; l < model.layer_count(); ++l)
    for (const LayerDescription& part : model.layer(l).parts())
      if (part.gates > 0) {
        prices_.push_back(static_cast<float>(settings.weight * static_cast<double>(part.placements())));
        gates += part.units() * part.gates * part.placements();
      }
  FIRN_CHECK(prices_.size() == model.neurons().size());
  for (float& price : prices_) price /= static_cast<float>(gates);
}

void AreaPrice::before_update(const ScoreView& view) {
  const auto& [group, first, count] = view.rows;
  const Neurons& neurons = *view.model.neurons()[group];
  for (std::size_t i = first; i < first + count; ++i) {
    if (neurons.frozen[i] != kNotFrozen) continue;
    const float mean = expected_area(neurons, areas_, i);
    float* scores = view.scores + (i - first) * kSlots;
    for (std::size_t k = 0; k < kSlots; ++k)
      scores[k] += prices_[group] * (areas_[static_cast<std::size_t>(neurons.gate(i, k))] - mean);
  }
}

double AreaPrice::price(const Model& model) const {
  double sum = 0;
  for (std::size_t g = 0; g < prices_.size(); ++g)
    for (std::size_t i = 0; i < model.neurons()[g]->count(); ++i)
      sum += prices_[g] * expected_area(*model.neurons()[g], areas_, i);
  return sum;
}

}  // namespace firn::training
