// Freezes neurons in scope and records each freeze.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/model/model.h"

namespace firn::discretize {

struct FreezeEvent {
  std::uint64_t step;
  std::string layer;
  std::size_t neuron;
  std::size_t slot;
  Gate gate;
  double score, entropy;
};

class Freezer {
 public:
  // `scope` holds indices of the model's Neurons. The model must outlive this.
  Freezer(Model& model, std::vector<std::size_t> scope) : model_(model), scope_(std::move(scope)) {}

  const std::vector<std::size_t>& scope() const { return scope_; }
  const Neurons& neurons(std::size_t group) const { return *model_.neurons()[group]; }
  bool is_frozen(std::size_t group, std::size_t i) const { return neurons(group).frozen[i] >= 0; }

  // Commits a relaxed neuron to a slot: its logits, moments and wires never change again.
  void freeze(std::uint64_t step, std::size_t group, std::size_t i, std::size_t slot, double score, double entropy);

  std::function<void(const FreezeEvent&)> on_freeze = {};  // may stay empty

 private:
  Model& model_;
  std::vector<std::size_t> scope_;
};

// Groups that `scope` names: "conv", "all", names of layers, or "auto": the convolutions if there are any, else every
// layer but the last. Refuses names that the model does not have.
std::vector<std::size_t> resolve_scope(const Model& model, const std::vector<std::string>& scope);

}  // namespace firn::discretize
