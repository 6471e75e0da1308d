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
      forward_weights(count, kSlots),
      settled_(count, kNotFrozen) {}

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

void Neurons::begin_update(const WeightPlan& plan) {
  const bool was_separate = separate_backward;
  separate_backward = plan.hard || plan.forward_temperature != plan.backward_temperature;
  if (separate_backward && backward_weights.rows() == 0) backward_weights = Matrix<float>(count(), kSlots);
  if (separate_backward && !was_separate) forget_settled();
}

RowList Neurons::relaxed_rows(std::size_t first, std::size_t count, RowNumbers& room) const {
  std::int8_t signs = kNotFrozen;
  for (std::size_t i = first; i < first + count; ++i) signs = static_cast<std::int8_t>(signs & frozen[i]);
  if (signs < 0) return count;
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    room[found] = static_cast<std::uint32_t>(i);
    found += frozen[first + i] < 0;
  }
  return {found, room.data()};
}

RowList Neurons::update_weights(const WeightPlan& plan, std::size_t first, std::size_t count, RowNumbers& room) {
  RowList rows = relaxed_rows(first, count, room);
  mix_rows(plan, first, rows);
  const auto begin = frozen.begin() + static_cast<std::ptrdiff_t>(first),
             end = begin + static_cast<std::ptrdiff_t>(count);
  if (std::equal(begin, end, &settled_[first])) return rows;
  for (std::size_t i = first; i < first + count; ++i) {
    if (frozen[i] >= 0 && frozen[i] != settled_[i]) {
      const auto slot = static_cast<std::size_t>(frozen[i]);
      set_one_hot(forward_weights.row(i), slot);
      if (separate_backward) set_one_hot(backward_weights.row(i), slot);
      room[rows.count++] = static_cast<std::uint32_t>(i - first);
    }
    settled_[i] = frozen[i];
  }
  return rows;
}

void Neurons::forget_settled() {
  std::ranges::fill(settled_, kNotFrozen);
}

void Neurons::mix_rows(const WeightPlan& plan, std::size_t first, const RowList& rows) {
  const float* given = logits.row(first);
  float* forward = forward_weights.row(first);
  if (plan.noise != nullptr) {
    // The forward rows hold the perturbed logits until the softmax replaces them.
    for (std::size_t r = 0; r < rows.count; ++r)
      for (std::size_t i = rows[r] * kSlots; i < (rows[r] + 1) * kSlots; ++i)
        forward[i] = given[i] + plan.noise->row(first)[i];
    given = forward;
  }
  if (separate_backward) softmax_rows(rows, given, plan.backward_temperature, backward_weights.row(first));
  if (!plan.hard) return softmax_rows(rows, given, plan.forward_temperature, forward);
  std::uint8_t selected[kRowChunk];
  argmax_rows(rows, given, selected);
  for (std::size_t r = 0; r < rows.count; ++r) set_one_hot(forward + rows[r] * kSlots, selected[r]);
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
