#include "firn/discretize/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/discretize/candidates.h"
#include "firn/discretize/freezer.h"
#include "firn/kernels/mixture.h"

namespace firn::discretize {
namespace {

// "conv" and "all" are words for many layers.
std::vector<std::size_t> groups_named(const Model& model, const std::string& name) {
  if (name == "conv" || name == "all") return resolve_scope(model, {name});
  std::vector<std::string> names;
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    if (model.neurons()[g]->name == name) return {g};
    names.push_back(model.neurons()[g]->name);
  }
  throw Error(fmt::format("there is no layer \"{}\"; the model has {}", name, fmt::join(names, ", ")));
}

// Groups where the rule applies, in the order of decision.
std::vector<std::size_t> ordered_groups(const SelectionContext& context) {
  const SelectionSettings& s = context.settings;
  if (s.order != "input-first" && s.order != "output-first")
    throw Error(fmt::format("there is no order \"{}\"; choose input-first or output-first", s.order));
  std::vector<std::size_t> groups;
  for (const std::string& name : s.layers.empty() ? std::vector<std::string>{"all"} : s.layers)
    for (std::size_t group : groups_named(context.model, name))
      if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  if (s.layers.empty() && s.order == "output-first") std::ranges::reverse(groups);
  return groups;
}

// The neurons that the rule looks at, per group, ascending.
std::vector<std::vector<std::size_t>> neurons_within_budget(const SelectionContext& context,
                                                            const std::vector<std::size_t>& groups) {
  struct Neuron {
    float entropy;
    std::size_t group, index;
  };
  std::vector<Neuron> relaxed;
  for (std::size_t g : groups) {
    const Neurons& neurons = *context.model.neurons()[g];
    for (std::size_t i = 0; i < neurons.count(); ++i) {
      if (neurons.frozen[i] != kNotFrozen) continue;
      float entropy = 0;
      entropy_rows(1, slot_weights(neurons, i, context.temperature).values, &entropy);
      relaxed.push_back({entropy, g, i});
    }
  }
  std::ranges::stable_sort(relaxed, std::ranges::greater(), &Neuron::entropy);
  if (context.settings.budget != 0 && context.settings.budget < relaxed.size()) relaxed.resize(context.settings.budget);
  std::vector<std::vector<std::size_t>> chosen(context.model.neurons().size());
  for (const Neuron& n : relaxed) chosen[n.group].push_back(n.index);
  for (auto& list : chosen) std::ranges::sort(list);
  return chosen;
}

void freeze_others(Neurons& neurons, const std::vector<std::size_t>& listed, const std::vector<std::uint8_t>& argmax) {
  for (std::size_t i = 0; i < neurons.count(); ++i)
    if (neurons.frozen[i] == kNotFrozen && !std::ranges::binary_search(listed, i))
      neurons.frozen[i] = static_cast<std::int8_t>(argmax[i]);
}

LayerDecisions decide_layer(const SelectionContext& context, Selection& rule, std::size_t group,
                            const std::vector<std::size_t>& listed) {
  Neurons& neurons = *context.model.neurons()[group];
  const auto argmax = neurons.chosen_slots();
  LayerDecisions decisions{neurons.name, neurons.count(), neurons.frozen_count(), listed.size(), 0};
  freeze_others(neurons, listed, argmax);
  if (listed.empty()) return decisions;
  rule.decide(group, listed, [&](std::size_t i, std::size_t slot) {
    FIRN_CHECK(neurons.frozen[i] == kNotFrozen && slot < kSlots);
    neurons.frozen[i] = static_cast<std::int8_t>(slot);
    decisions.changed += slot != argmax[i];
    context.on_decision();
  });
  FIRN_CHECK(neurons.all_frozen());
  return decisions;
}

}  // namespace

std::span<const SelectionEntry> selections() {
  static constexpr SelectionEntry kSelections[] = {
      {"argmax", "the largest weight", 0, 1, make_select_argmax},
      {"first-order", "the smallest first-order score, layer by layer", 0, 16, make_select_first_order},
      {"relaxed-intervention", "the smallest risk of the relaxed network with that gate forced", 200, 4,
       make_select_relaxed_intervention},
      {"conditional-expectation-mc", "the smallest mean risk of circuits drawn around that gate", 1000, 4,
       make_select_conditional_expectation},
      {"nearest-table", "the gate nearest to the neuron's mean truth table", 0, 16, make_select_nearest_table},
  };
  return kSelections;
}

const SelectionEntry& selection_from_name(std::string_view name) {
  return entry_named(name, selections(), "rule");
}

std::size_t count_decisions(const SelectionContext& context) {
  std::size_t count = 0;
  for (const auto& listed : neurons_within_budget(context, ordered_groups(context))) count += listed.size();
  return count;
}

std::vector<LayerDecisions> select_slots(const SelectionContext& context) {
  const auto groups = ordered_groups(context);
  const auto listed = neurons_within_budget(context, groups);
  const auto rule = selection_from_name(context.settings.rule).make(context);
  std::vector<LayerDecisions> decisions;
  for (std::size_t g : groups) decisions.push_back(decide_layer(context, *rule, g, listed[g]));
  for (std::size_t g = 0; g < context.model.neurons().size(); ++g)
    if (std::ranges::find(groups, g) == groups.end()) decisions.push_back(decide_layer(context, *rule, g, {}));
  return decisions;
}

}  // namespace firn::discretize
