#include "firn/study/diagnose_discrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/base/table.h"
#include "firn/base/table_sums.h"

namespace firn::study {

namespace {

using nlohmann::json;

constexpr std::size_t kDefaultFitSamples = 10000;

// Flips of the neurons of one group of the relaxed model: gate i of the layer is neuron first + i.
struct GroupFlips {
  const Mixtures::Group& neurons;
  bool has_slots;         // for every gate: slot k is gate k
  std::size_t first = 0;  // flip of the diagnosis
};

NetworkFlips measure(const LoadedCheckpoint& loaded, const BooleanNetwork& network, const SubsetExamples& chosen,
                     std::string_view stage, const OnStage& on_stage, Threads& threads) {
  const Experiment& experiment = loaded.experiment;
  const Augmenter none("none", experiment.data, /*seed=*/1);
  return measure_flips(network, loss_from_name(loaded.config.train.loss),
                       {chosen.examples, chosen.indices, experiment.encoder, none},
                       {.on_progress = [&](auto done, auto total) { on_stage(stage, done, total); }}, threads);
}

std::vector<DiscreteFlip> join(const NetworkFlips& fitting, const NetworkFlips& held_out) {
  std::vector<DiscreteFlip> flips;
  for (std::size_t i = 0; i < fitting.gates.size(); ++i) {
    const GateFlips& gate = fitting.gates[i];
    for (std::size_t row = 0; row < kTableRows; ++row)
      flips.push_back({.layer = gate.place.layer,
                       .neuron = gate.place.gate,
                       .row = row,
                       .gate = gate.gate,
                       .fitting = gate.effects[row],
                       .held_out = held_out.gates[i].effects[row]});
  }
  return flips;
}

std::vector<GroupFlips> list_groups(const Model& model, const Mixtures& mixtures, const BooleanNetwork& network) {
  std::vector<std::size_t> first_flip;
  std::size_t flips = 0;
  for (const BooleanLayer& layer : network.layers) {
    first_flip.push_back(flips);
    flips += kTableRows * layer.gates.size();
  }
  std::vector<GroupFlips> groups;
  for (std::size_t g = 0; g < mixtures.groups().size(); ++g)
    groups.push_back(
        {mixtures.groups()[g], !model.neurons()[g]->has_opcodes(), first_flip[boolean_layer_of(network, g)]});
  return groups;
}

std::size_t flipped_slot(const DiscreteFlip& flip) {
  return static_cast<std::size_t>(with_flipped_row(flip.gate, flip.row));
}

// The neurons of a group whose relaxed effects are measured.
std::vector<std::uint32_t> draw_neurons_of(const GroupFlips& group, const DiscreteSettings& settings) {
  RandomSequence random(settings.seed, "diagnose/discrete/" + group.neurons.name);
  std::vector<std::uint32_t> drawn = permutation(static_cast<std::uint32_t>(group.neurons.count), random);
  drawn.resize(std::min(drawn.size(), settings.neurons));
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// What the relaxed network knows about the flips.
void add_relaxed(const ConeNetwork& network, const std::vector<GroupFlips>& groups, const SampleSet& samples,
                 const DiscreteSettings& settings, const OnStage& on_stage, Threads& threads,
                 std::vector<DiscreteFlip>& flips) {
  const Mixtures& mixtures = network.mixtures();
  for (const GroupFlips& group : groups)
    for (std::size_t i = 0; i < kTableRows * group.neurons.count; ++i)
      flips[group.first + i].entropy = mixtures.entropy(group.neurons.first + i / kTableRows);
  if (std::ranges::none_of(groups, &GroupFlips::has_slots)) return;
  const ScoreSums sums =
      measure_scores(network, samples, threads, [&](auto done, auto total) { on_stage("scores", done, total); });
  std::vector<NeuronSlots> drawn;
  std::vector<std::size_t> first_flips;  // one per drawn neuron
  for (const GroupFlips& group : groups) {
    if (!group.has_slots) continue;
    for (std::size_t i = 0; i < group.neurons.count; ++i) {
      const Weights16 scores = sums.scores(network, group.neurons.first + i);
      for (std::size_t row = 0; row < kTableRows; ++row) {
        DiscreteFlip& flip = flips[group.first + kTableRows * i + row];
        flip.score = scores[flipped_slot(flip)] - scores[static_cast<std::size_t>(flip.gate)];
      }
    }
    for (std::uint32_t i : draw_neurons_of(group, settings)) {
      first_flips.push_back(group.first + kTableRows * i);
      NeuronSlots& slots = drawn.emplace_back(NeuronSlots{group.neurons.first + i, {}});
      slots.slots.push_back(static_cast<std::uint8_t>(flips[first_flips.back()].gate));
      for (std::size_t row = 0; row < kTableRows; ++row)
        slots.slots.push_back(static_cast<std::uint8_t>(flipped_slot(flips[first_flips.back() + row])));
    }
  }
  const auto effects = measure_effects(network, samples, drawn, {}, threads,
                                       [&](auto done, auto total) { on_stage("relaxed effects", done, total); });
  for (std::size_t n = 0; n < drawn.size(); ++n)
    for (std::size_t row = 0; row < kTableRows; ++row)
      flips[first_flips[n] + row].relaxed_effect = effects[n][1 + row].effect - effects[n][0].effect;
}

json to_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const Risk& risk, std::size_t examples) {
  return {{"examples", examples}, {"loss", risk.loss}, {"accuracy", risk.accuracy}};
}

json to_json(const Gains& gains, std::size_t flips) {
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? json(nullptr) : json(static_cast<double>(part) / static_cast<double>(whole));
  };
  return {{"flips", gains.flips},
          {"share", share(gains.flips, flips)},
          {"also_held_out", gains.also_held_out},
          {"share_also_held_out", share(gains.also_held_out, gains.flips)}};
}

json to_json(const FlipCorrelation& c) {
  return {{"flips", c.flips}, {"fitting", to_json(c.fitting)}, {"held_out", to_json(c.held_out)}};
}

json to_json(const FlipQuantiles& quantiles) {
  json object = json::object();
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    object[fmt::format("p{:g}", 100 * kFlipQuantiles[i])] = to_json(quantiles[i]);
  return object;
}

json to_json(const LayerFlips& layer) {
  return {{"gates", layer.gates},
          {"flips", layer.flips},
          {"without_effect", layer.without_effect},
          {"lower_loss", to_json(layer.lower, layer.flips)},
          {"significant", to_json(layer.significant, layer.flips)},
          {"significant_gates", layer.significant_gates},
          {"quantiles", {{"fitting", to_json(layer.fitting)}, {"held_out", to_json(layer.held_out)}}},
          {"histogram", {{"fitting", layer.fitting_histogram}, {"held_out", layer.held_out_histogram}}},
          {"spearman",
           {{"score", to_json(layer.score)},
            {"relaxed_effect", to_json(layer.relaxed_effect)},
            {"entropy", to_json(layer.entropy)},
            {"fitting_with_held_out", to_json(layer.fitting_with_held_out)}}}};
}

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}
std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "";
}

}  // namespace

SubsetExamples draw_fitting_examples(const Experiment& experiment, const DiscreteSettings& settings) {
  if (!experiment.encoder.is_binary())
    throw Error(
        "this network reads real values, so it has no discrete twin whose gates could be flipped; train with a "
        "binary encoding, or diagnose other parts");
  return {experiment.data.train, draw_examples(experiment.split.train, {.wanted = settings.fit_samples,
                                                                        .usual = kDefaultFitSamples,
                                                                        .seed = settings.seed,
                                                                        .stream = "diagnose/fitting",
                                                                        .part = "training"})};
}

DiscreteDiagnosis diagnose_discrete(const LoadedCheckpoint& loaded, const ConeNetwork& network,
                                    const SubsetExamples& fitting, const SubsetExamples& held_out,
                                    const DiscreteSettings& settings, const OnStage& on_stage, Threads& threads) {
  const Experiment& experiment = loaded.experiment;
  const BooleanNetwork boolean = experiment.model->harden();
  const NetworkFlips on_fitting = measure(loaded, boolean, fitting, "flips, fitting examples", on_stage, threads);
  const NetworkFlips on_others = measure(loaded, boolean, held_out, "flips, held-out examples", on_stage, threads);
  DiscreteDiagnosis result{.fitting_samples = fitting.indices.size(),
                           .held_out_samples = held_out.indices.size(),
                           .relaxed_samples = std::min(fitting.indices.size(), settings.relaxed_samples),
                           .fitting = on_fitting.risk,
                           .held_out = on_others.risk,
                           .layers = {},
                           .flips = join(on_fitting, on_others),
                           .summaries = {}};
  for (const BooleanLayer& layer : boolean.layers) result.layers.push_back(layer.wiring.name);
  const auto relaxed_end = fitting.indices.begin() + static_cast<std::ptrdiff_t>(result.relaxed_samples);
  add_relaxed(network, list_groups(*experiment.model, network.mixtures(), boolean),
              choose_samples(fitting.examples, {fitting.indices.begin(), relaxed_end}, experiment.encoder,
                             network.input_layout()),
              settings, on_stage, threads, result.flips);
  result.summaries = summarize_flips(result.flips, result.layers);
  return result;
}

void write_flips(const DiscreteDiagnosis& diagnosis, const std::filesystem::path& file) {
  CsvText table({"layer", "neuron", "row", "gate", "flipped_gate", "effect", "standard_error", "heldout_effect",
                 "heldout_standard_error", "entropy", "score", "relaxed_effect"});
  for (const DiscreteFlip& flip : diagnosis.flips)
    table.add({diagnosis.layers[flip.layer], std::to_string(flip.neuron), std::to_string(flip.row),
               std::to_string(static_cast<int>(flip.gate)), std::to_string(flipped_slot(flip)),
               number(flip.fitting.mean()), number(flip.fitting.error()), number(flip.held_out.mean()),
               number(flip.held_out.error()), number(flip.entropy), number(flip.score), number(flip.relaxed_effect)});
  write_covered_tables(file.parent_path(), {{file.filename().string(), table.str()}});
}

json to_json(const DiscreteDiagnosis& diagnosis) {
  json layers = json::object();
  for (const LayerFlips& layer : diagnosis.summaries) layers[layer.layer] = to_json(layer);
  return {{"fitting", to_json(diagnosis.fitting, diagnosis.fitting_samples)},
          {"held_out", to_json(diagnosis.held_out, diagnosis.held_out_samples)},
          {"relaxed_examples", diagnosis.relaxed_samples},
          {"bin_edges", flip_bin_edges()},
          {"layers", layers}};
}

}  // namespace firn::study
