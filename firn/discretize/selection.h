// The family of selections: after training, every neuron that is still relaxed is frozen to one slot, by a rule.
//
// Strategies (strategy.h) decide while a model trains; a selection decides once, on a model that has been trained.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"
#include "firn/train/step.h"

namespace firn::discretize {

struct SelectionSettings {
  std::string rule = "argmax";        // a name in selections()
  std::string order = "input-first";  // or "output-first": which layers are decided first
  // Where the rule applies, in this order: names, "conv" or "all". Empty: everywhere, in `order`.
  std::vector<std::string> layers = {};
  std::size_t budget = 0;       // neurons that the rule looks at, the least certain first; 0: all
  std::size_t candidates = 4;   // slots that are compared for a neuron, the likeliest ones
  std::size_t completions = 8;  // drawn circuits of conditional-expectation-mc
  std::uint64_t seed = 1;       // of the draws
};

// What a rule works with. The model and the input outlive it.
struct SelectionContext {
  const SelectionSettings& settings;
  Model& model;
  BatchInput& input;  // the samples that risks are measured on
  const Loss& loss;
  double temperature;  // of the gate softmax, as in training
  Threads& threads;
  std::function<void()> on_decision = [] {};  // after every neuron that the rule has looked at
};

class Selection {
 public:
  virtual ~Selection() = default;
  // Chooses a slot for each listed neuron of a group and freezes it by `freeze(i, slot)`. All of them are relaxed; the
  // rest of the group is frozen already.
  virtual void decide(std::size_t group, std::span<const std::size_t> neurons,
                      const std::function<void(std::size_t, std::size_t)>& freeze) = 0;
};

struct SelectionEntry {
  std::string_view name;
  std::string_view summary;
  std::size_t budget, candidates;  // that make sense when the user names none; budget 0: all neurons
  std::unique_ptr<Selection> (*make)(const SelectionContext&);
};

std::span<const SelectionEntry> selections();
const SelectionEntry& selection_from_name(std::string_view name);

struct LayerDecisions {
  std::string layer;
  std::size_t neurons = 0, frozen_before = 0, looked_at = 0;
  std::size_t changed = 0;  // frozen to another slot than argmax
};

// How many neurons the rule will look at.
std::size_t count_decisions(const SelectionContext& context);

// Freezes every relaxed neuron of the model: those within the budget as the rule says, layer by layer, the others to
// their argmax. A layer's others are frozen before the rule looks at it.
std::vector<LayerDecisions> select_slots(const SelectionContext& context);

// One line each in the table.
std::unique_ptr<Selection> make_select_argmax(const SelectionContext& context);
std::unique_ptr<Selection> make_select_first_order(const SelectionContext& context);
std::unique_ptr<Selection> make_select_relaxed_intervention(const SelectionContext& context);
std::unique_ptr<Selection> make_select_conditional_expectation(const SelectionContext& context);
std::unique_ptr<Selection> make_select_nearest_table(const SelectionContext& context);

}  // namespace firn::discretize
