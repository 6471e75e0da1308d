#include "firn/diagnose/diagnosis.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "firn/base/error.h"
#include "firn/discretize/lowest_score.h"

namespace firn::diagnose {

namespace {

// Means over two sets of samples become the mean over both.
SlotEffect merge(const std::array<SlotEffect, 2>& parts, const std::array<double, 2>& samples) {
  const double total = samples[0] + samples[1];
  const auto mean = [&](double SlotEffect::*member) {
    return (parts[0].*member * samples[0] + parts[1].*member * samples[1]) / total;
  };
  return {.effect = mean(&SlotEffect::effect),
          .displacement = mean(&SlotEffect::displacement),
          .winning = mean(&SlotEffect::winning),
          .first = mean(&SlotEffect::first),
          .second = mean(&SlotEffect::second),
          .first_error = mean(&SlotEffect::first_error),
          .second_error = mean(&SlotEffect::second_error)};
}

// Effects of some slots of some neurons on both halves.
class HalfEffects {
 public:
  HalfEffects(const ConeNetwork& network, const std::array<SampleSet, 2>& halves, std::vector<NeuronSlots> neurons,
              Measuring what, Threads& threads, const OnStage& on_stage, std::string_view stage, Ranks& ranks)
      : neurons_(std::move(neurons)) {
    for (std::size_t half = 0; half < 2; ++half) {
      samples_[half] = static_cast<double>(halves[half].count());
      const std::string name = name_of(stage, half);
      results_[half] = measure_effects(
          network, halves[half], neurons_, what, threads, [&](auto done, auto total) { on_stage(name, done, total); },
          ranks);
    }
  }

  const SlotEffect& on(std::size_t half, std::size_t entry, std::size_t slot) const {
    const auto& slots = neurons_[entry].slots;
    return results_[half][entry][static_cast<std::size_t>(std::find(slots.begin(), slots.end(), slot) - slots.begin())];
  }
  SlotEffect on_both(std::size_t entry, std::size_t slot) const {
    return merge({on(0, entry, slot), on(1, entry, slot)}, samples_);
  }

 private:
  static std::string name_of(std::string_view stage, std::size_t half) {
    return std::string(stage) + (half == 0 ? ", half A" : ", half B");
  }

  std::vector<NeuronSlots> neurons_;
  std::array<double, 2> samples_{};
  std::array<std::vector<std::vector<SlotEffect>>, 2> results_;
};

// The scores of both halves and of all samples.
struct Scores {
  std::array<ScoreSums, 2> halves;
  ScoreSums all;
};

Scores score_halves(const ConeNetwork& network, const std::array<SampleSet, 2>& halves, Threads& threads,
                    const OnStage& on_stage, Ranks& ranks) {
  Scores scores;
  for (std::size_t half = 0; half < 2; ++half) {
    const char* stage = half == 0 ? "scores, half A" : "scores, half B";
    scores.halves[half] = measure_scores(
        network, halves[half], threads, [&](auto done, auto total) { on_stage(stage, done, total); }, ranks);
    scores.all += scores.halves[half];
  }
  return scores;
}

// One neuron in scope, with every slot that somebody asks about.
struct Decision {
  std::size_t neuron, argmax, selected;
  std::array<std::size_t, 2> selected_on;  // by half
};

std::vector<Decision> list_decisions(const ConeNetwork& network, const Scores& scores) {
  std::vector<Decision> decisions;
  const Mixtures& mixtures = network.mixtures();
  for (const Mixtures::Group& group : mixtures.groups()) {
    if (!group.in_scope) continue;
    for (std::size_t n = group.first; n < group.first + group.count; ++n) {
      if (mixtures.is_frozen(n)) continue;
      const std::size_t argmax = mixtures.chosen(n);
      const auto selected = [&](const ScoreSums& sums) { return lowest_score(sums.scores(network, n), argmax); };
      decisions.push_back({n, argmax, selected(scores.all), {selected(scores.halves[0]), selected(scores.halves[1])}});
    }
  }
  return decisions;
}

std::vector<NeuronSlots> slots_to_measure(const std::vector<Decision>& decisions, const DiagnoseSettings& settings) {
  std::vector<NeuronSlots> list;
  for (const Decision& d : decisions) {
    std::vector<std::size_t> wanted = {d.argmax};
    if (settings.effects) wanted.push_back(d.selected);
    if (settings.held_out) wanted.insert(wanted.end(), d.selected_on.begin(), d.selected_on.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    list.push_back({d.neuron, {wanted.begin(), wanted.end()}});
  }
  return list;
}

std::vector<FreezeEffect> collect_effects(const ConeNetwork& network, const Scores& scores,
                                          const std::vector<Decision>& decisions, const HalfEffects& measured) {
  std::vector<FreezeEffect> effects;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Decision& d = decisions[i];
    const Weights16 own = scores.all.scores(network, d.neuron);
    effects.push_back({d.neuron, network.mixtures().entropy(d.neuron), d.argmax, d.selected, own[d.argmax],
                       own[d.selected], measured.on_both(i, d.argmax), measured.on_both(i, d.selected)});
  }
  return effects;
}

HeldOut collect_held_out(const std::vector<Decision>& decisions, const HalfEffects& measured) {
  std::vector<HeldOutChoice> choices;
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const Decision& d = decisions[i];
      const std::size_t selected = d.selected_on[half];
      if (selected == d.argmax) continue;
      HeldOutChoice choice{half, d.neuron, d.argmax, selected, measured.on(half, i, selected).displacement, {}, {}};
      for (std::size_t on = 0; on < 2; ++on) {
        choice.argmax_effect[on] = measured.on(on, i, d.argmax).effect;
        choice.selected_effect[on] = measured.on(on, i, selected).effect;
      }
      choices.push_back(choice);
    }
  return summarize_held_out(std::move(choices));
}

Locality measure_locality(const ConeNetwork& network, const std::array<SampleSet, 2>& halves, const Scores& scores,
                          const DiagnoseSettings& settings, Threads& threads, const OnStage& on_stage, Ranks& ranks) {
  std::vector<std::uint8_t> all_slots(kSlots);
  std::iota(all_slots.begin(), all_slots.end(), std::uint8_t{0});
  std::vector<NeuronSlots> list;
  for (std::size_t n : draw_neurons(network.mixtures(), settings.neurons, settings.seed))
    list.push_back({n, all_slots});
  const HalfEffects measured(network, halves, list, {true, true}, threads, on_stage, "locality", ranks);
  std::vector<LocalNeuron> neurons;
  for (std::size_t i = 0; i < list.size(); ++i) {
    LocalNeuron neuron{list[i].neuron, scores.all.scores(network, list[i].neuron), {}};
    for (std::size_t k = 0; k < kSlots; ++k) neuron.slots.push_back(measured.on_both(i, k));
    neurons.push_back(std::move(neuron));
  }
  return summarize_locality(network.mixtures(), std::move(neurons),
                            scores.all.loss / static_cast<double>(scores.all.samples));
}

}  // namespace

void check_diagnosable(const Model& model) {
  if (model.head().is_value)
    throw Error("a diagnosis measures losses of classes, but this network predicts values; evaluate it instead");
}

Diagnosis diagnose(const ConeNetwork& network, const std::array<SampleSet, 2>& halves, const DiagnoseSettings& settings,
                   Threads& threads, const OnStage& on_stage, Ranks& ranks) {
  const Scores scores = score_halves(network, halves, threads, on_stage, ranks);
  const std::vector<Decision> decisions = list_decisions(network, scores);
  Diagnosis result;
  result.layers = network.mixtures().groups();
  result.samples = scores.all.samples;
  result.relaxed_neurons = decisions.size();
  for (const Mixtures::Group& group : result.layers)
    if (group.in_scope) result.frozen_neurons += group.count;
  result.frozen_neurons -= decisions.size();
  result.risk = scores.all.loss / static_cast<double>(scores.all.samples);
  if (scores.all.ties.pooled > 0)
    result.tied = static_cast<double>(scores.all.ties.tied) / static_cast<double>(scores.all.ties.pooled);
  if (settings.effects || settings.held_out) {
    const HalfEffects measured(network, halves, slots_to_measure(decisions, settings), {}, threads, on_stage, "effects",
                               ranks);
    if (settings.effects) {
      result.effects = collect_effects(network, scores, decisions, measured);
      result.effect_summaries =
          summarize(network.mixtures(), result.effects, result.risk, {settings.resamples, settings.seed}, threads);
    }
    if (settings.held_out) result.held_out = collect_held_out(decisions, measured);
  }
  if (settings.locality)
    result.locality = measure_locality(network, halves, scores, settings, threads, on_stage, ranks);
  return result;
}

}  // namespace firn::diagnose
