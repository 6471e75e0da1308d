#include "firn/study/discretize_checkpoint.h"

#include <algorithm>
#include <span>

#include "firn/base/random.h"
#include "firn/refine/refiner.h"
#include "firn/refine/write_back.h"
#include "firn/study/output_file.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/study/subset.h"
#include "firn/study/tell.h"
#include "firn/train/fixed_input.h"

namespace firn::study {

namespace {

constexpr const char* kRefine = "refine";

std::vector<LayerDecisions> refine_model(const DiscretizeParams& params, LoadedCheckpoint& loaded,
                                         std::span<const std::uint32_t> validation, Threads& threads) {
  Experiment& experiment = loaded.experiment;
  const BooleanNetwork before = experiment.model->harden();
  RefineSettings settings;
  settings.layers = params.settings.layers;
  settings.seed = params.settings.seed;
  Refiner refiner({before, experiment.loss, experiment.data, experiment.encoder, loaded.config.data.augment,
                   experiment.split.train, validation, threads},
                  settings);
  refiner.run(params.on_decision);
  const BooleanNetwork after = refiner.best();
  std::vector<LayerDecisions> decisions;
  for (std::size_t group = 0; group < experiment.model->neurons().size(); ++group) {
    const Neurons& neurons = *experiment.model->neurons()[group];
    const std::size_t layer = boolean_layer_of(before, group);
    LayerDecisions& decided =
        decisions.emplace_back(LayerDecisions{neurons.name, neurons.count(), neurons.frozen_count()});
    decided.looked_at = refiner.layers_in_scope()[layer] ? neurons.count() : 0;
    for (std::size_t i = 0; i < neurons.count(); ++i)
      decided.changed += before.layers[layer].gates[i] != after.layers[layer].gates[i];
  }
  freeze_gates(after, std::vector<bool>(after.layers.size(), true), *experiment.model);
  return decisions;
}

DiscretizeResult decide(const DiscretizeParams& params, LoadedCheckpoint& loaded, Threads& threads) {
  Experiment& experiment = loaded.experiment;
  const SubsetExamples validation = subset_of(experiment, Subset::kValidation);
  const double temperature = loaded.config.train.temperature;
  const auto samples = draw_risk_samples(experiment.split.train, params.samples, params.settings.seed);
  Evaluator evaluator(*experiment.model, experiment.encoder, experiment.loss, temperature, experiment.classes(),
                      threads);
  const auto evaluate = [&](std::span<const std::uint32_t> indices) {
    return evaluator.run(experiment.data.train, indices, EvaluationMode::kDiscrete);
  };
  DiscretizeResult result;
  result.step = loaded.header.step;
  result.validation_before = evaluate(validation.indices);
  result.samples_before = evaluate(samples);
  result.layers = params.settings.rule == kRefine
                      ? refine_model(params, loaded, validation.indices, threads)
                      : discretize_model(*experiment.model, experiment.encoder, experiment.loss, temperature,
                                         experiment.data.train, samples, params.settings, threads, params.on_decision);
  result.validation_after = evaluate(validation.indices);
  result.samples_after = evaluate(samples);
  return result;
}

}  // namespace

std::vector<std::uint32_t> draw_risk_samples(std::span<const std::uint32_t> examples, std::size_t count,
                                             std::uint64_t seed) {
  RandomSequence random(seed, "discretize/samples");
  std::vector<std::uint32_t> samples;
  for (std::uint32_t place : permutation(static_cast<std::uint32_t>(examples.size()), random)) {
    if (samples.size() == count) break;
    samples.push_back(examples[place]);
  }
  std::ranges::sort(samples);
  return samples;
}

std::vector<LayerDecisions> discretize_model(Model& model, const Encoder& encoder, const Loss& loss, double temperature,
                                             const Examples& examples, std::span<const std::uint32_t> samples,
                                             const SelectionSettings& settings, Threads& threads,
                                             const OnDecision& on_decision) {
  FixedInput input(examples, samples, encoder, model.input());
  SelectionContext context{settings, model, input, loss, temperature, threads};
  const std::uint64_t total = count_decisions(context);
  std::uint64_t done = 0;
  context.on_decision = [&] {
    ++done;
    if (on_decision) on_decision(done, total);
  };
  return select_slots(context);
}

std::vector<std::string> discretize_rules() {
  std::vector<std::string> rules;
  for (const SelectionEntry& entry : selections()) rules.emplace_back(entry.name);
  rules.emplace_back(kRefine);
  return rules;
}

DiscretizeResult discretize_checkpoint(const DiscretizeParams& params, Threads& threads) {
  check_output(params.output, {params.checkpoint});
  LoadedCheckpoint loaded = load_checkpoint(params.checkpoint, params.data_root, *params.parts);
  check_output(params.output, files_of_data(loaded.config, params.data_root));
  if (const auto warning = warn_of_changed_split(loaded.experiment.data, /*is_test=*/false, loaded.header.data,
                                                 params.checkpoint.string()))
    tell(params.on_warning, *warning);
  DiscretizeResult result = decide(params, loaded, threads);
  CheckpointHeader header = loaded.header;
  header.hooks.clear();
  save_checkpoint(params.output, header, loaded.experiment.encoder,
                  [&](StateVisitor& visitor) { loaded.experiment.model->visit_state(visitor); });
  return result;
}

}  // namespace firn::study
