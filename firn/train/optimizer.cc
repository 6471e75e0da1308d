#include "firn/train/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"

namespace firn::training {

Optimizer::Optimizer(const Model& model, const OptimizerSettings& settings, std::vector<std::string> memory)
    : clip_(settings.clip), names_(std::move(memory)) {
  for (const Neurons* group : model.neurons()) {
    groups_.push_back(group->name);
    memory_.emplace_back();
    for (std::size_t which = 0; which < names_.size(); ++which) memory_.back().emplace_back(group->count(), kSlots);
  }
}

const Neurons* Optimizer::update(Model& model, LogitGradients& gradients, double learning_rate, Threads& threads) {
  if (clip_ > 0) gradients.clip(clip_, threads);
  start(learning_rate);
  model.for_each_row_block(threads, [&](const Model::RowBlock& block) { move_rows(model, gradients, block); });
  return finish(model);
}

void Optimizer::start(double learning_rate) {
  damaged_ = groups_.size();
  begin(++updates_, learning_rate);
}

void Optimizer::move_rows(Model& model, const LogitGradients& gradients, const Model::RowBlock& rows) {
  float* logits = model.neurons()[rows.group]->logits.row(rows.first);
  if (move({rows.group, rows.first, rows.count, gradients.rows(rows.group, rows.first), logits})) return;
  for (std::size_t known = damaged_; rows.group < known && !damaged_.compare_exchange_weak(known, rows.group);) {
  }
}

const Neurons* Optimizer::finish(const Model& model) const {
  return damaged_ < groups_.size() ? model.neurons()[damaged_] : nullptr;
}

void Optimizer::reset_row(std::size_t group, std::size_t row) {
  for (Matrix<float>& rows : memory_[group]) std::ranges::fill(rows[row], 0.f);
}

void Optimizer::visit_state(StateVisitor& visitor) {
  visitor.visit("optimizer.updates", std::span(&updates_, 1));
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t which = 0; which < names_.size(); ++which)
      visitor.visit("optimizer." + groups_[g] + "." + names_[which], memory_[g][which]);
}

std::span<const OptimizerEntry> optimizers() {
  static constexpr OptimizerEntry kOptimizers[] = {
      {"adamw", "Adam with decoupled weight decay; without decay it is Adam", true, make_adamw},
      {"adam", "Adam", false, make_adam},
      {"sgd", "gradient descent with momentum", true, make_sgd},
  };
  return kOptimizers;
}

namespace {

const OptimizerEntry& entry_of(const OptimizerSettings& settings) {
  for (const OptimizerEntry& entry : optimizers())
    if (entry.name == settings.name) return entry;
  std::vector<std::string_view> names;
  for (const OptimizerEntry& entry : optimizers()) names.push_back(entry.name);
  throw Error(fmt::format("there is no optimizer \"{}\"; choose {}", settings.name, fmt::join(names, ", ")));
}

}  // namespace

void check_settings(const OptimizerSettings& settings) {
  if (!entry_of(settings).decays && settings.weight_decay != 0)
    throw Error(fmt::format(
        "train.optimizer = \"{}\" does not decay weights, but train.weight_decay = {}; choose \"adamw\", or "
        "a weight decay of 0",
        settings.name, settings.weight_decay));
}

std::unique_ptr<Optimizer> make_optimizer(const Model& model, const OptimizerSettings& settings) {
  check_settings(settings);
  return entry_of(settings).make(model, settings);
}

}  // namespace firn::training
