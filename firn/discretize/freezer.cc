#include "firn/discretize/freezer.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"

namespace firn::discretize {

namespace {

template <class Predicate>
std::vector<std::size_t> groups_where(const Model& model, const Predicate& wanted) {
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < model.neurons().size(); ++g)
    if (wanted(g)) groups.push_back(g);
  return groups;
}

std::size_t group_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    if (model.neurons()[g]->name == name) return g;
    names.push_back(model.neurons()[g]->name);
  }
  throw Error(
      fmt::format("freeze.scope names the layer \"{}\", but the model has only {}", name, fmt::join(names, ", ")));
}

}  // namespace

void Freezer::freeze(std::uint64_t step, std::size_t group, std::size_t i, std::size_t slot, double score,
                     double entropy) {
  Neurons& neurons = *model_.neurons()[group];
  FIRN_CHECK(neurons.frozen[i] < 0 && slot < kSlots);
  neurons.frozen[i] = static_cast<std::int8_t>(slot);
  if (on_freeze) on_freeze({step, neurons.name, i, slot, neurons.gate(i, slot), score, entropy});
}

std::vector<std::size_t> resolve_scope(const Model& model, const std::vector<std::string>& scope) {
  const auto is_convolutional = [&](std::size_t g) { return model.neurons()[g]->convolutional; };
  const auto convolutions = groups_where(model, is_convolutional);
  if (scope == std::vector<std::string>{"all"}) return groups_where(model, [](std::size_t) { return true; });
  if (scope == std::vector<std::string>{"conv"}) return convolutions;
  if (scope == std::vector<std::string>{"auto"}) {
    const std::size_t last = model.neurons().size() - 1;
    return convolutions.empty() ? groups_where(model, [&](std::size_t g) { return g != last; }) : convolutions;
  }
  if (scope.empty())
    throw Error("freeze.scope is empty; use \"conv\", \"all\" or names of layers, or the strategy final-argmax");
  std::vector<std::size_t> groups;
  for (const std::string& name : scope) groups.push_back(group_named(model, name));
  std::ranges::sort(groups);
  return groups;
}

}  // namespace firn::discretize
