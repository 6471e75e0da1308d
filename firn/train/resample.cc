#include "firn/train/resample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/kernels/mixture.h"

namespace firn::training {

namespace {

constexpr float kRestart = 4.9052748f;  // ln 135: weight 0.9 against fifteen zeros

}  // namespace

Resampler::Resampler(Model& model, const ResampleSettings& settings, std::uint64_t seed, Threads& threads)
    : settings_(settings), seed_(seed), threads_(threads) {
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    LayerDescription& wiring = model.wiring(g);
    Group group{g,
                &model.layer(model.layer_of(g)),
                wiring.has_own_slots ? &wiring : nullptr,
                model.neurons()[g],
                {},
                {},
                {},
                {},
                {}};
    const std::size_t count = group.wiring != nullptr ? wiring.neurons() : 0;
    group.ema.resize(count);
    group.settled.resize(count);
    group.entropy.resize(count);
    group.redraws.resize(count);
    group.weights = Matrix<float>(count, kSlots);
    groups_.push_back(std::move(group));
  }
}

void Resampler::on_step(const StepView& step) {
  for (Group& group : groups_) std::ranges::fill(group.redraws, Redraw::kNone);
  if (settings_.until != 0 && step.step > settings_.until) return;
  const bool first_time = steps_seen_++ == 0;
  for (Group& group : groups_) {
    if (group.wiring == nullptr || group.neurons->all_frozen()) continue;
    watch(group, first_time);
    for (std::size_t i = 0; i < group.settled.size(); ++i) {
      if (group.neurons->frozen[i] >= 0 || group.settled[i] < settings_.patience) continue;
      group.settled[i] = 0;
      const float* weights = group.weights.row(i);
      const float* top = std::max_element(weights, weights + kSlots);
      const bool strong = *top > static_cast<float>(settings_.strong);
      if (!strong && !(*top < static_cast<float>(settings_.weak))) continue;
      redraw(group, i, static_cast<std::size_t>(top - weights), strong, step);
    }
  }
}

void Resampler::watch(Group& group, bool first_time) {
  const float keep = static_cast<float>(settings_.ema), tolerance = static_cast<float>(settings_.tolerance);
  for_each_block(group.ema.size(), threads_, [&](std::size_t first, std::size_t rows) {
    softmax_rows(rows, group.neurons->logits.row(first), 1, group.weights.row(first));
    entropy_rows(rows, group.weights.row(first), &group.entropy[first]);
    for (std::size_t i = first; i < first + rows; ++i) {
      const float entropy = group.entropy[i], before = first_time ? entropy : group.ema[i];
      group.ema[i] = first_time ? entropy : keep * before + (1 - keep) * entropy;
      const bool steady = !first_time && std::abs(entropy - before) < tolerance;
      group.settled[i] = steady ? group.settled[i] + 1 : 0;
    }
  });
}

void Resampler::redraw(Group& group, std::size_t i, std::size_t winner, bool strong, const StepView& step) {
  // The stream of a row and step: independent of what other rows do and of where a run was resumed.
  RandomSequence random(Random(seed_, stream_id("resample/" + group.neurons->name) + i * 0x9e3779b97f4a7c15u),
                        step.step << 16);
  float* logits = group.neurons->logits.row(i);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (strong) logits[slot] = slot == winner ? kRestart : 0;
    if (strong && slot == winner) continue;
    if (!strong) logits[slot] = random.normal();
    if (!group.wiring->slots_are_wires)
      group.neurons->opcodes[i * kSlots + slot] = static_cast<std::uint8_t>(random.below(kGates));
    redraw_slot(*group.wiring, i, slot, random);
  }
  group.layer->rewire_neuron(i);
  step.optimizer.reset_row(group.index, i);
  group.redraws[i] = strong ? Redraw::kStrong : Redraw::kWeak;
  ++redrawn_;
}

std::uint64_t Resampler::take_redrawn() {
  return std::exchange(redrawn_, 0);
}

void Resampler::visit_state(StateVisitor& visitor) {
  visitor.visit("resample.steps_seen", std::span(&steps_seen_, 1));
  visitor.visit("resample.redrawn", std::span(&redrawn_, 1));
  for (Group& group : groups_) {
    if (group.wiring == nullptr) continue;
    visitor.visit("resample." + group.neurons->name + ".ema", group.ema);
    visitor.visit("resample." + group.neurons->name + ".settled", group.settled);
  }
}

}  // namespace firn::training
