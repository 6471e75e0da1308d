#include "firn/model/neurons.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"

namespace firn::model {

namespace {

void set_one_hot(float* row, std::size_t slot) {
  std::fill(row, row + kSlots, 0.f);
  row[slot] = 1;
}

}  // namespace

Neurons::Neurons(std::string neurons_name, std::size_t count, bool is_convolutional)
    : name(std::move(neurons_name)),
      convolutional(is_convolutional),
      logits(count, kSlots),
      frozen(count, kNotFrozen),
      forward_weights(count, kSlots) {}

std::size_t Neurons::frozen_count() const {
  return static_cast<std::size_t>(std::count_if(frozen.begin(), frozen.end(), [](int slot) { return slot >= 0; }));
}

std::vector<std::uint8_t> Neurons::chosen_slots() const {
  std::vector<std::uint8_t> slots(count());
  argmax_rows(count(), logits.data(), slots.data());
  for (std::size_t i = 0; i < count(); ++i)
    if (frozen[i] >= 0) slots[i] = static_cast<std::uint8_t>(frozen[i]);
  return slots;
}

void Neurons::update_weights(const WeightPlan& plan, Threads& threads) {
  separate_backward = plan.hard || plan.forward_temperature != plan.backward_temperature;
  if (separate_backward && backward_weights.rows() == 0) backward_weights = Matrix<float>(count(), kSlots);
  for_each_block(count(), threads, [&](std::size_t first, std::size_t rows) {
    // Runs of relaxed neurons are mixed together; a frozen one is its slot and nothing else.
    for (std::size_t i = first; i < first + rows;) {
      if (frozen[i] >= 0) {
        set_one_hot(forward_weights.row(i), static_cast<std::size_t>(frozen[i]));
        if (separate_backward) set_one_hot(backward_weights.row(i), static_cast<std::size_t>(frozen[i]));
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < first + rows && frozen[end] < 0) ++end;
      mix_rows(plan, i, end - i);
      i = end;
    }
  });
}

void Neurons::mix_rows(const WeightPlan& plan, std::size_t first, std::size_t rows) {
  const float* given = logits.row(first);
  float* forward = forward_weights.row(first);
  if (plan.noise != nullptr) {
    // The forward rows hold the perturbed logits until the softmax replaces them.
    for (std::size_t i = 0; i < rows * kSlots; ++i) forward[i] = given[i] + plan.noise->row(first)[i];
    given = forward;
  }
  if (separate_backward) softmax_rows(rows, given, plan.backward_temperature, backward_weights.row(first));
  if (!plan.hard) return softmax_rows(rows, given, plan.forward_temperature, forward);
  std::uint8_t selected[kRowBlock];
  argmax_rows(rows, given, selected);
  for (std::size_t i = 0; i < rows; ++i) set_one_hot(forward_weights.row(first + i), selected[i]);
}

void Neurons::visit_state(StateVisitor& visitor) {
  visitor.visit(name + ".logits", logits);
  visitor.visit(name + ".frozen", frozen);
  if (has_opcodes()) visitor.visit(name + ".opcodes", opcodes);
}

void Neurons::check_state() const {
  const auto is_slot = [](int slot) { return slot >= kNotFrozen && slot < static_cast<int>(kSlots); };
  if (!std::ranges::all_of(frozen, is_slot) || !std::ranges::all_of(opcodes, is_slot))
    throw Error(fmt::format("layer {}: a frozen slot or a gate is none of the sixteen; the file is damaged", name));
}

void initialize_residual(Neurons& neurons, float residual) {
  neurons.logits.clear();
  for (std::size_t i = 0; i < neurons.count(); ++i)
    neurons.logits.row(i)[static_cast<std::size_t>(Gate::kA)] = residual;
}

void initialize_gaussian(Neurons& neurons, RandomSequence& random) {
  for (std::size_t i = 0; i < neurons.count(); ++i)
    for (float& logit : neurons.logits[i]) logit = random.normal();
}

}  // namespace firn::model
