#include "firn/study/diagnose_shocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/base/table.h"
#include "firn/base/table_sums.h"
#include "firn/diagnose/statistics.h"
#include "firn/train/input.h"
#include "firn/train/step.h"

namespace firn::study {

namespace {

using nlohmann::json;

constexpr std::array<double, 3> kRatioQuantiles = {0.1, 0.5, 0.9};

// The argmax slots of the relaxed neurons in scope; `mean` and `deviation` are still to be measured.
ShockDiagnosis list_neurons(const Model& model, const Mixtures& mixtures) {
  ShockDiagnosis diagnosis;
  for (std::size_t g = 0; g < mixtures.groups().size(); ++g) {
    const Mixtures::Group& group = mixtures.groups()[g];
    diagnosis.layers.push_back(group.name);
    for (std::size_t i = 0; group.in_scope && i < group.count; ++i) {
      const std::size_t n = group.first + i;
      if (mixtures.is_frozen(n)) continue;
      const std::size_t slot = mixtures.chosen(n);
      diagnosis.neurons.push_back({.layer = g,
                                   .neuron = i,
                                   .slot = slot,
                                   .logit = model.neurons()[g]->logits.row(i)[slot],
                                   .entropy = mixtures.entropy(n)});
    }
  }
  return diagnosis;
}

// [neuron][batch]
Matrix<float> record(const LoadedCheckpoint& loaded, const std::vector<NeuronShock>& neurons, std::size_t batches,
                     const OnStage& on_stage, Threads& threads, Ranks& ranks) {
  const Experiment& experiment = loaded.experiment;
  const TrainSettings& train = loaded.config.train;
  const Augmenter augmenter(loaded.config.data.augment, experiment.data, loaded.config.seed);
  TrainingInput input(experiment.data.train, experiment.encoder, augmenter,
                      BatchOrder(experiment.split.train, train.batch, loaded.config.seed), experiment.model->input(),
                      train.shard, threads.count(), experiment.teacher ? &*experiment.teacher : nullptr);
  BatchStep step(*experiment.model, experiment.loss, train.batch, train.shard, threads, ranks);
  const float temperature = static_cast<float>(train.temperature);
  const std::vector<WeightPlan> plans = {{.forward_temperature = temperature, .backward_temperature = temperature}};
  Matrix<float> shocks(neurons.size(), batches);
  for (std::size_t b = 0; b < batches; ++b) {
    on_stage("shocks", b, batches);
    input.select(loaded.header.step + 1 + b);
    step.run(input, plans);
    for (std::size_t n = 0; n < neurons.size(); ++n)
      shocks.row(n)[b] = step.scores()[neurons[n].layer].row(neurons[n].neuron)[neurons[n].slot];
  }
  on_stage("shocks", batches, batches);
  return shocks;
}

void measure(std::span<const float> shocks, NeuronShock& neuron) {
  const double count = static_cast<double>(shocks.size());
  double sum = 0, squares = 0;
  for (float shock : shocks) sum += shock;
  neuron.mean = sum / count;
  for (float shock : shocks) squares += (shock - neuron.mean) * (shock - neuron.mean);
  neuron.deviation = std::sqrt(squares / (count - 1));
}

// The evaluation, counted from 1, at which a neuron is frozen; `shock(random)` is what an evaluation sees.
template <class Shock>
std::size_t frozen_at(const TaskSettings& rule, RandomSequence& random, const Shock& shock) {
  const double keep = std::exp2(-static_cast<double>(rule.interval) / rule.half_life);
  double average = 0;
  std::uint64_t below = 0;
  for (std::size_t e = 1; e <= kShockEvaluations.back(); ++e) {
    average = keep * average + (1 - keep) * shock(random);
    below = average < 0 ? below + 1 : 0;
    if (below >= rule.patience) return e;
  }
  return kShockEvaluations.back() + 1;
}

struct FrozenAt {
  std::size_t measured, centred, every_step;
};

FrozenAt replay(const TaskSettings& rule, std::span<const float> shocks, double mean, RandomSequence random) {
  const auto draw = [&](RandomSequence& r) -> double {
    return shocks[r.below(static_cast<std::uint32_t>(shocks.size()))];
  };
  const auto draw_mean = [&](RandomSequence& r) {
    double sum = 0;
    for (std::uint64_t s = 0; s < rule.interval; ++s) sum += draw(r);
    return sum / static_cast<double>(rule.interval);
  };
  FrozenAt at{};
  at.measured = frozen_at(rule, random, draw);
  at.centred = frozen_at(rule, random, [&](RandomSequence& r) { return draw(r) - mean; });
  at.every_step = frozen_at(rule, random, draw_mean);
  return at;
}

std::array<double, kShockEvaluations.size()> shares(const std::vector<FrozenAt>& frozen, std::size_t FrozenAt::*when) {
  std::array<double, kShockEvaluations.size()> result{};
  for (std::size_t e = 0; e < result.size(); ++e)
    result[e] = static_cast<double>(
                    std::ranges::count_if(frozen, [&](const FrozenAt& f) { return f.*when <= kShockEvaluations[e]; })) /
                static_cast<double>(frozen.size());
  return result;
}

LayerShocks summarize(const std::string& layer, std::span<const NeuronShock> neurons,
                      const std::vector<FrozenAt>& frozen) {
  LayerShocks summary{.layer = layer, .neurons = neurons.size()};
  std::vector<double> ratios, logits;
  for (const NeuronShock& neuron : neurons) {
    logits.push_back(neuron.logit);
    if (const auto ratio = neuron.ratio())
      ratios.push_back(*ratio);
    else
      ++summary.silent;
    if (neuron.mean < 0) ++summary.negative;
  }
  for (std::size_t q = 0; q < kRatioQuantiles.size(); ++q) summary.ratio[q] = quantile(ratios, kRatioQuantiles[q]);
  summary.logit = median(logits);
  summary.frozen = {shares(frozen, &FrozenAt::measured), shares(frozen, &FrozenAt::centred),
                    shares(frozen, &FrozenAt::every_step)};
  return summary;
}

json to_json(const LayerShocks& layer) {
  const auto nullable = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
  return {{"neurons", layer.neurons},
          {"silent", layer.silent},
          {"negative_mean", layer.negative},
          {"mean_over_deviation",
           {{"p10", nullable(layer.ratio[0])}, {"p50", nullable(layer.ratio[1])}, {"p90", nullable(layer.ratio[2])}}},
          {"median_logit", nullable(layer.logit)},
          {"frozen",
           {{"measured", layer.frozen.measured},
            {"centred", layer.frozen.centred},
            {"every_step", layer.frozen.every_step}}}};
}

std::string nine_digits(double value) {
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::optional<double> NeuronShock::ratio() const {
  return deviation > 0 ? std::optional(mean / deviation) : std::nullopt;
}

void check_settings(const ShockSettings& settings) {
  if (settings.batches < 2)
    throw Error("one batch is too few: shocks are compared with their deviation; choose at least 2");
}

ShockDiagnosis diagnose_shocks(const LoadedCheckpoint& loaded, const Mixtures& mixtures, const ShockSettings& settings,
                               const OnStage& on_stage, Threads& threads, Ranks& ranks) {
  ShockDiagnosis diagnosis = list_neurons(*loaded.experiment.model, mixtures);
  diagnosis.batches = settings.batches;
  std::vector<NeuronShock>& neurons = diagnosis.neurons;
  const Matrix<float> shocks = record(loaded, neurons, settings.batches, on_stage, threads, ranks);
  std::vector<FrozenAt> frozen(neurons.size());
  const Random random(settings.seed, "diagnose/shocks");
  threads.for_each(neurons.size(), [&](std::size_t n, std::size_t) {
    const std::span<const float> own(shocks.row(n), settings.batches);
    measure(own, neurons[n]);
    // More numbers than a replay can use lie between the beginnings of two neurons.
    frozen[n] = replay(loaded.config.freeze.task, own, neurons[n].mean,
                       RandomSequence(random, static_cast<std::uint64_t>(n) << 32));
  });
  for (std::size_t first = 0; first < neurons.size();) {
    const auto last = static_cast<std::size_t>(
        std::ranges::find_if(neurons.begin() + static_cast<std::ptrdiff_t>(first), neurons.end(),
                             [&](const NeuronShock& n) { return n.layer != neurons[first].layer; }) -
        neurons.begin());
    diagnosis.summaries.push_back(summarize(
        diagnosis.layers[neurons[first].layer], std::span(neurons).subspan(first, last - first),
        {frozen.begin() + static_cast<std::ptrdiff_t>(first), frozen.begin() + static_cast<std::ptrdiff_t>(last)}));
    first = last;
  }
  diagnosis.summaries.push_back(summarize("all", neurons, frozen));
  return diagnosis;
}

void write_shocks(const ShockDiagnosis& diagnosis, const std::filesystem::path& file) {
  CsvText table({"layer", "neuron", "slot", "logit", "entropy", "mean", "deviation"});
  for (const NeuronShock& n : diagnosis.neurons)
    table.add({diagnosis.layers[n.layer], std::to_string(n.neuron), std::to_string(n.slot), nine_digits(n.logit),
               nine_digits(n.entropy), nine_digits(n.mean), nine_digits(n.deviation)});
  write_covered_tables(file.parent_path(), {{file.filename().string(), table.str()}});
}

json to_json(const ShockDiagnosis& diagnosis) {
  json layers = json::object();
  for (const LayerShocks& layer : diagnosis.summaries) layers[layer.layer] = to_json(layer);
  return {{"batches", diagnosis.batches}, {"evaluations", kShockEvaluations}, {"layers", layers}};
}

}  // namespace firn::study
