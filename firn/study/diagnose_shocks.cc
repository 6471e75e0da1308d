#include "firn/study/diagnose_shocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "firn/base/error.h"
#include "firn/base/memory.h"
#include "firn/base/progress.h"
#include "firn/base/random.h"
#include "firn/base/table.h"
#include "firn/base/table_sums.h"
#include "firn/diagnose/statistics.h"
#include "firn/train/area.h"
#include "firn/train/input.h"
#include "firn/train/step.h"

namespace firn::study {

namespace {

using nlohmann::json;

constexpr std::array<double, 3> kRatioQuantiles = {0.1, 0.5, 0.9};
constexpr std::size_t kReplays = 10;

struct Recorded {
  Matrix<float> shocks;        // [neuron][batch]
  std::vector<double> losses;  // [batch]
};

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

Recorded record(const LoadedCheckpoint& loaded, const std::vector<NeuronShock>& neurons, std::size_t batches,
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
  std::optional<AreaPrice> area;  // is part of the scores that strategies see
  if (loaded.config.area.weight > 0) area.emplace(*experiment.model, loaded.config.area);
  const auto add_price = [&](const Model::RowBlock& rows) {
    if (area) area->before_update({*experiment.model, rows, step.scores()[rows.group].row(rows.first)});
  };
  Recorded recorded{Matrix<float>(neurons.size(), batches), {}};
  for (std::size_t b = 0; b < batches; ++b) {
    on_stage("shocks", b, batches);
    input.select(loaded.header.step + 1 + b);
    recorded.losses.push_back(step.run(input, plans, add_price).loss / static_cast<double>(train.batch));
    for (std::size_t n = 0; n < neurons.size(); ++n)
      recorded.shocks.row(n)[b] = step.scores()[neurons[n].layer].row(neurons[n].neuron)[neurons[n].slot];
  }
  on_stage("shocks", batches, batches);
  return recorded;
}

void measure(std::span<const float> shocks, NeuronShock& neuron) {
  const double count = static_cast<double>(shocks.size());
  double sum = 0, squares = 0;
  for (float shock : shocks) sum += shock;
  neuron.mean = sum / count;
  for (float shock : shocks) squares += (shock - neuron.mean) * (shock - neuron.mean);
  neuron.deviation = std::sqrt(squares / (count - 1));
  neuron.negative = static_cast<double>(std::ranges::count_if(shocks, [](float shock) { return shock < 0; })) / count;
  neuron.positive = static_cast<double>(std::ranges::count_if(shocks, [](float shock) { return shock > 0; })) / count;
}

// The batches that the evaluations of one replay see; the first of an interval is that of its evaluation.
Matrix<std::uint32_t> draw_batches(const TaskSettings& rule, const ShockSettings& settings, std::size_t evaluations,
                                   std::size_t replay) {
  RandomSequence random(settings.seed, fmt::format("diagnose/shocks/{}", replay));
  Matrix<std::uint32_t> drawn(evaluations, rule.interval);
  for (std::size_t e = 0; e < drawn.rows(); ++e)
    for (std::uint32_t& batch : drawn[e]) batch = random.below(static_cast<std::uint32_t>(settings.batches));
  return drawn;
}

// The evaluation, counted from 1, at which a neuron is frozen; `shock(e)` is what evaluation e, counted from 0, sees.
template <class Shock>
std::size_t frozen_at(const TaskSettings& rule, std::size_t evaluations, const Shock& shock) {
  const double keep = std::exp2(-static_cast<double>(rule.interval) / rule.half_life);
  double average = 0;
  std::uint64_t below = 0;
  for (std::size_t e = 0; e < evaluations; ++e) {
    average = keep * average + (1 - keep) * shock(e);
    below = average < 0 ? below + 1 : 0;
    if (below >= rule.patience) return e + 1;
  }
  return evaluations + 1;
}

struct FrozenAt {
  std::size_t measured, centred, every_step;
};
using Replays = std::array<FrozenAt, kReplays>;  // of one neuron

FrozenAt replay(const TaskSettings& rule, std::span<const float> shocks, double mean,
                const Matrix<std::uint32_t>& batches) {
  const auto one = [&](std::size_t e) -> double { return shocks[batches[e][0]]; };
  const auto mean_of_all = [&](std::size_t e) {
    double sum = 0;
    for (std::uint32_t batch : batches[e]) sum += shocks[batch];
    return sum / static_cast<double>(batches[e].size());
  };
  const std::size_t evaluations = batches.rows();
  return {frozen_at(rule, evaluations, one), frozen_at(rule, evaluations, [&](std::size_t e) { return one(e) - mean; }),
          frozen_at(rule, evaluations, mean_of_all)};
}

double average_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

FrozenShares shares(std::span<const Replays> frozen, std::span<const std::size_t> evaluations,
                    std::size_t FrozenAt::*when) {
  FrozenShares result;
  for (std::size_t e = 0; e < evaluations.size(); ++e) {
    std::array<double, kReplays> share{};
    for (std::size_t r = 0; r < kReplays; ++r)
      share[r] = static_cast<double>(std::ranges::count_if(
                     frozen, [&](const Replays& own) { return own[r].*when <= evaluations[e]; })) /
                 static_cast<double>(frozen.size());
    result.mean[e] = average_of(share);
    result.lowest[e] = *std::ranges::min_element(share);
    result.highest[e] = *std::ranges::max_element(share);
  }
  return result;
}

// Sum of the products of what both differ from their means.
double covariation(std::span<const double> first, std::span<const double> second) {
  const double first_mean = average_of(first), second_mean = average_of(second);
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += (first[i] - first_mean) * (second[i] - second_mean);
  return sum;
}

// `neurons` are those recorded from `first` on.
void find_correlations(const Recorded& recorded, std::size_t first, std::span<const NeuronShock> neurons,
                       LayerShocks& summary) {
  std::vector<double> common(recorded.losses.size());
  double moving = 0;
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    if (!neurons[n].ratio()) continue;
    ++moving;
    for (std::size_t b = 0; b < common.size(); ++b)
      common[b] += (recorded.shocks.row(first + n)[b] - neurons[n].mean) / neurons[n].deviation;
  }
  if (moving == 0) return;
  for (double& value : common) value /= moving;
  const double own = covariation(common, common), losses = covariation(recorded.losses, recorded.losses);
  // The variance of a mean of n values of variance one is (1 + (n - 1) r) / n where r is their mean correlation.
  const double variance = own / static_cast<double>(common.size() - 1);
  if (moving > 1) summary.correlation = (moving * variance - 1) / (moving - 1);
  if (own > 0 && losses > 0) summary.with_loss = covariation(common, recorded.losses) / std::sqrt(own * losses);
}

LayerShocks summarize(const std::string& layer, std::span<const NeuronShock> neurons, std::span<const Replays> frozen,
                      std::span<const std::size_t> evaluations) {
  LayerShocks summary{.layer = layer, .neurons = neurons.size()};
  std::vector<double> ratios, logits;
  for (const NeuronShock& neuron : neurons) {
    logits.push_back(neuron.logit);
    if (const auto ratio = neuron.ratio())
      ratios.push_back(*ratio);
    else
      ++summary.silent;
    if (neuron.mean < 0) ++summary.negative;
    if (neuron.misleads()) ++summary.misleading;
  }
  for (std::size_t q = 0; q < kRatioQuantiles.size(); ++q) summary.ratio[q] = quantile(ratios, kRatioQuantiles[q]);
  summary.logit = median(logits);
  summary.frozen = {shares(frozen, evaluations, &FrozenAt::measured), shares(frozen, evaluations, &FrozenAt::centred),
                    shares(frozen, evaluations, &FrozenAt::every_step)};
  return summary;
}

json to_json(const FrozenShares& shares) {
  return {{"mean", shares.mean}, {"lowest", shares.lowest}, {"highest", shares.highest}};
}

json to_json(const LayerShocks& layer) {
  const auto nullable = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
  return {{"neurons", layer.neurons},
          {"silent", layer.silent},
          {"negative_mean", layer.negative},
          {"misleading", layer.misleading},
          {"mean_over_deviation",
           {{"p10", nullable(layer.ratio[0])}, {"p50", nullable(layer.ratio[1])}, {"p90", nullable(layer.ratio[2])}}},
          {"median_logit", nullable(layer.logit)},
          {"mean_correlation", nullable(layer.correlation)},
          {"correlation_with_loss", nullable(layer.with_loss)},
          {"frozen",
           {{"measured", to_json(layer.frozen.measured)},
            {"centred", to_json(layer.frozen.centred)},
            {"every_step", to_json(layer.frozen.every_step)}}}};
}

std::string nine_digits(double value) {
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::optional<double> NeuronShock::ratio() const {
  return deviation > 0 ? std::optional(mean / deviation) : std::nullopt;
}

void check_settings(const ShockSettings& settings, const TaskSettings& rule, const Mixtures& mixtures) {
  if (settings.batches < 2)
    throw Error("one batch is too few: shocks are compared with their deviation; choose at least 2");
  std::size_t neurons = 0;
  for (const Mixtures::Group& group : mixtures.groups())
    for (std::size_t i = 0; group.in_scope && i < group.count; ++i) neurons += !mixtures.is_frozen(group.first + i);
  const double per_batch = sizeof(float) * static_cast<double>(neurons) + sizeof(double);
  require_memory(per_batch * static_cast<double>(settings.batches),
                 fmt::format("recording the shocks of {} batches", format_count(settings.batches)),
                 "number of batches");
  if (settings.batches > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{} batches are too many; choose at most {}", format_count(settings.batches),
                            format_count(std::numeric_limits<std::uint32_t>::max())));
  const double evaluations = static_cast<double>(rule.patience) + static_cast<double>(kLaterEvaluations.back());
  require_memory(sizeof(std::uint32_t) * kReplays * evaluations * static_cast<double>(rule.interval),
                 "replaying the rule of this checkpoint", "freeze.task.patience or freeze.task.interval");
}

ShockDiagnosis diagnose_shocks(const LoadedCheckpoint& loaded, const Mixtures& mixtures, const ShockSettings& settings,
                               const OnStage& on_stage, Threads& threads, Ranks& ranks) {
  ShockDiagnosis diagnosis = list_neurons(*loaded.experiment.model, mixtures);
  diagnosis.batches = settings.batches;
  std::vector<NeuronShock>& neurons = diagnosis.neurons;
  const Recorded recorded = record(loaded, neurons, settings.batches, on_stage, threads, ranks);
  const TaskSettings& rule = diagnosis.rule = loaded.config.freeze.task;
  for (std::size_t later : kLaterEvaluations) diagnosis.evaluations.push_back(rule.patience + later);
  std::vector<Matrix<std::uint32_t>> drawn;
  for (std::size_t r = 0; r < kReplays; ++r)
    drawn.push_back(draw_batches(rule, settings, diagnosis.evaluations.back(), r));
  std::vector<Replays> frozen(neurons.size());
  threads.for_each(neurons.size(), [&](std::size_t n, std::size_t) {
    const std::span<const float> own(recorded.shocks.row(n), settings.batches);
    measure(own, neurons[n]);
    for (std::size_t r = 0; r < kReplays; ++r) frozen[n][r] = replay(rule, own, neurons[n].mean, drawn[r]);
  });
  const auto add = [&](const std::string& layer, std::size_t first, std::size_t count) {
    const auto own = std::span(neurons).subspan(first, count);
    LayerShocks& summary = diagnosis.summaries.emplace_back(
        summarize(layer, own, std::span(frozen).subspan(first, count), diagnosis.evaluations));
    find_correlations(recorded, first, own, summary);
  };
  for (std::size_t first = 0; first < neurons.size();) {
    std::size_t last = first;
    while (last < neurons.size() && neurons[last].layer == neurons[first].layer) ++last;
    add(diagnosis.layers[neurons[first].layer], first, last - first);
    first = last;
  }
  add("all", 0, neurons.size());
  return diagnosis;
}

void write_shocks(const ShockDiagnosis& diagnosis, const std::filesystem::path& file) {
  CsvText table(
      {"layer", "neuron", "slot", "logit", "entropy", "mean", "deviation", "negative_batches", "positive_batches"});
  for (const NeuronShock& n : diagnosis.neurons)
    table.add({diagnosis.layers[n.layer], std::to_string(n.neuron), std::to_string(n.slot), nine_digits(n.logit),
               nine_digits(n.entropy), nine_digits(n.mean), nine_digits(n.deviation), nine_digits(n.negative),
               nine_digits(n.positive)});
  write_covered_tables(file.parent_path(), {{file.filename().string(), table.str()}});
}

json to_json(const ShockDiagnosis& diagnosis) {
  json layers = json::object();
  for (const LayerShocks& layer : diagnosis.summaries) layers[layer.layer] = to_json(layer);
  return {{"batches", diagnosis.batches},
          {"evaluations", diagnosis.evaluations},
          {"rule",
           {{"interval", diagnosis.rule.interval},
            {"half_life", diagnosis.rule.half_life},
            {"patience", diagnosis.rule.patience},
            {"score", diagnosis.rule.score}}},
          {"layers", layers}};
}

}  // namespace firn::study
