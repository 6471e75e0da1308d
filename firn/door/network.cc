#include "firn/api/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/discretize/selection.h"
#include "firn/door/inner.h"
#include "firn/model/build.h"
#include "firn/study/circuit_source.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/config_text.h"
#include "firn/study/diagnose_checkpoint.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/session.h"
#include "firn/train/evaluate.h"
#include "firn/train/fixed_input.h"
#include "firn/train/step.h"

namespace firn::api {

std::unique_ptr<model::Model> door::clone(const model::Model& from) {
  auto copy = std::make_unique<model::Model>(from.description(), model::Initialization{}, /*seed=*/1);
  for (std::size_t g = 0; g < from.neurons().size(); ++g) {
    model::Neurons& to = *copy->neurons()[g];
    to.logits = from.neurons()[g]->logits;
    to.frozen = from.neurons()[g]->frozen;
    to.opcodes = from.neurons()[g]->opcodes;
  }
  copy->rewire();
  return copy;
}

namespace {

constexpr std::size_t kScoreBatch = 512;  // samples whose gradient sums are in memory at once

training::Loss loss_of(const Network::Inner& inner) {
  return training::scaled_loss(inner.config.inner().train.loss, inner.loss_scale);
}

float temperature_of(const Network::Inner& inner) {
  return static_cast<float>(inner.config.inner().train.temperature);
}

Risk to_public(const training::Risk& risk) {
  return {risk.loss, risk.accuracy};
}

Quality to_public(const training::Quality& quality) {
  Quality result{quality.balanced_accuracy, quality.macro_f1, quality.auc, {}};
  for (const training::ClassQuality& c : quality.classes)
    result.classes.push_back({c.samples, c.precision, c.recall, c.f1});
  return result;
}

}  // namespace

namespace {

std::shared_ptr<const Network::Inner> rebuilt(const training::Checkpoint& checkpoint, const Config& with_parts) {
  study::RebuiltModel parts = study::rebuild_model(checkpoint, *with_parts.inner().parts);
  return std::shared_ptr<const Network::Inner>(new Network::Inner{
      Config(std::move(parts.config)), std::move(parts.encoder), std::move(parts.model), checkpoint.header().step,
      checkpoint.header().class_names, checkpoint.header().schema, checkpoint.header().loss, checkpoint.header().data});
}

training::CheckpointHeader header_of(const Network::Inner& inner) {
  training::CheckpointHeader header{inner.config.to_toml(), inner.step,  inner.model->outputs(), {},
                                    inner.class_names,      inner.schema};
  header.head = training::head_scale_of(*inner.model);
  header.loss = inner.loss_scale;
  header.data = inner.data;
  return header;
}

}  // namespace

Network Network::load(const std::string& file, const Config& with_parts) {
  return Network(rebuilt(training::Checkpoint::read(file), with_parts));
}

Network Network::from_bytes(std::span<const std::byte> bytes) {
  SafetensorsFile file = SafetensorsFile::parse({bytes.begin(), bytes.end()}, "the checkpoint in memory");
  return Network(rebuilt(training::Checkpoint::parse(std::move(file)), Config()));
}

void Network::save(const std::string& file) const {
  training::save_checkpoint(file, header_of(*inner_), inner_->encoder,
                            [this](StateVisitor& visitor) { inner_->model->visit_state(visitor); });
}

std::vector<std::byte> Network::to_bytes() const {
  return training::checkpoint_bytes(header_of(*inner_), inner_->encoder,
                                    [this](StateVisitor& visitor) { inner_->model->visit_state(visitor); });
}

const Config& Network::config() const {
  return inner_->config;
}
std::uint64_t Network::step() const {
  return inner_->step;
}
Shape Network::shape() const {
  return inner_->encoder.input_shape();
}
std::size_t Network::classes() const {
  return inner_->classes();
}
bool Network::takes_floats() const {
  return inner_->encoder.parts().values == "reals";
}
const std::vector<std::string>& Network::class_names() const {
  return inner_->class_names;
}
std::vector<std::string> Network::feature_names() const {
  return inner_->schema ? data::feature_names(*inner_->schema) : std::vector<std::string>();
}
std::size_t Network::neurons() const {
  return inner_->model->description().neurons();
}
std::size_t Network::frozen() const {
  std::size_t count = 0;
  for (const model::Neurons* group : std::as_const(*inner_->model).neurons()) count += group->frozen_count();
  return count;
}

namespace {

Evaluation evaluate_examples(const Network::Inner& inner, const data::Examples& examples, int threads) {
  const std::lock_guard lock(inner.busy);
  Threads workers(threads);
  const training::Loss loss = loss_of(inner);
  training::Evaluator evaluator(*inner.model, inner.encoder, loss, temperature_of(inner), inner.classes(), workers);
  const auto indices = data::all_indices(examples.count());
  const auto relaxed = evaluator.run(examples, indices, training::EvaluationMode::kRelaxed, /*with_auc=*/true);
  const auto discrete = evaluator.run(examples, indices, training::EvaluationMode::kDiscrete, /*with_auc=*/true);
  Evaluation result{to_public(relaxed.risk()), to_public(discrete.risk()), examples.count(), discrete.confusion};
  if (discrete.values) {
    result.relaxed_values = {relaxed.values->r2, relaxed.values->rmse, relaxed.values->mae};
    result.discrete_values = {discrete.values->r2, discrete.values->rmse, discrete.values->mae};
  } else {
    result.relaxed_quality = to_public(relaxed.quality());
    result.discrete_quality = to_public(discrete.quality());
  }
  return result;
}

}  // namespace

Evaluation Network::evaluate(Samples samples, Labels labels, int threads) const {
  return evaluate_examples(*inner_, door::examples_of(samples, labels, inner_->encoder, classes()), threads);
}

Evaluation Network::evaluate_test(const Dataset& data, int threads) const {
  const data::Examples& test = data.inner().test;
  if (test.count() == 0) throw Error("the data set has no test set");
  const std::string values = test.has_reals() ? "reals" : "bytes";
  if (data.shape() != shape() || values != inner_->encoder.parts().values || data.classes() > classes() ||
      (data.classes() == 0) != (classes() == 0))
    throw Error("the data set has samples of another shape or kind, or more classes, than the network was trained on");
  return evaluate_examples(*inner_, test, threads);
}

namespace {

// The discrete network as it is: nothing is simplified.
Circuit discrete_circuit(const Network::Inner& inner) {
  return Circuit(door::make_circuit(
      study::harden_model(*inner.model, inner.config.inner(), inner.encoder, inner.class_names, inner.schema)));
}

}  // namespace

std::vector<std::uint16_t> Network::predict(Samples samples, int threads) const {
  return discrete_circuit(*inner_).predict(samples, threads);
}

std::vector<float> Network::predict_values(Samples samples, int threads) const {
  return discrete_circuit(*inner_).predict_values(samples, threads);
}

std::vector<LayerScores> Network::scores(Samples samples, Labels labels, int threads) const {
  const data::Examples examples = door::examples_of(samples, labels, inner_->encoder, classes());
  const std::lock_guard lock(inner_->busy);
  Threads workers(threads);
  model::Model& model = *inner_->model;
  std::vector<LayerScores> layers;
  for (const model::Neurons* group : model.neurons())
    layers.push_back({group->name, group->count(), std::vector<float>(group->count() * logic::kSlots), group->frozen});
  const float temperature = temperature_of(*inner_);
  const std::vector<model::WeightPlan> plan = {
      {.forward_temperature = temperature, .backward_temperature = temperature}};
  training::BatchStep step(model, loss_of(*inner_), std::min(kScoreBatch, examples.count()), 32, workers);
  const auto indices = data::all_indices(examples.count());
  for (std::size_t first = 0; first < indices.size(); first += kScoreBatch) {
    const auto part = std::span(indices).subspan(first, std::min(kScoreBatch, indices.size() - first));
    training::FixedInput input(examples, part, inner_->encoder, model.input());
    step.run(input, plan);
    const float share = static_cast<float>(part.size()) / static_cast<float>(indices.size());
    for (std::size_t g = 0; g < layers.size(); ++g)
      for (std::size_t i = 0; i < layers[g].scores.size(); ++i)
        layers[g].scores[i] += share * step.scores()[g].data()[i];
  }
  return layers;
}

std::vector<LayerEffects> Network::diagnose(Samples samples, Labels labels, int threads) const {
  const data::Examples examples = door::examples_of(samples, labels, inner_->encoder, classes());
  const std::lock_guard lock(inner_->busy);
  Threads workers(threads);
  diagnose::check_diagnosable(*inner_->model);
  const diagnose::ConeNetwork cones(*inner_->model, diagnose::task_loss_from_name(inner_->config.inner().train.loss),
                                    inner_->config.inner().train.temperature);
  const auto indices = data::all_indices(examples.count());
  const diagnose::DiagnoseSettings settings{.locality = false, .held_out = false, .gaps = false};
  const diagnose::Diagnosis diagnosis =
      study::diagnose_examples(cones, inner_->encoder, examples, indices, settings, {}, workers);
  std::vector<LayerEffects> layers;
  for (const diagnose::EffectSummary& summary : diagnosis.effect_summaries)
    layers.push_back({summary.layer, summary.neurons, summary.entropy.value.value_or(0),
                      summary.selected.value.value_or(0), summary.argmax.value.value_or(0)});
  return layers;
}

Network Network::discretize(Samples samples, Labels labels, const DiscretizeOptions& options, int threads) const {
  const data::Examples examples = door::examples_of(samples, labels, inner_->encoder, classes());
  Threads workers(threads);
  if (options.samples == 0) throw Error("no samples to measure risks on; choose at least 1");
  auto copy = door::clone(*inner_->model);
  const auto indices = study::draw_risk_samples(data::all_indices(examples.count()), options.samples, options.seed);
  discretize::SelectionSettings settings{.rule = options.rule, .seed = options.seed};
  const discretize::SelectionEntry& rule = discretize::selection_from_name(options.rule);
  settings.budget = rule.budget;
  settings.candidates = rule.candidates;
  study::discretize_model(*copy, inner_->encoder, loss_of(*inner_), inner_->config.inner().train.temperature, examples,
                          indices, settings, workers);
  return Network(
      std::shared_ptr<const Inner>(new Inner{inner_->config, inner_->encoder, std::move(copy), inner_->step,
                                             inner_->class_names, inner_->schema, inner_->loss_scale, inner_->data}));
}

Circuit Network::compile() const {
  infer::CircuitModel hard =
      study::harden_model(*inner_->model, inner_->config.inner(), inner_->encoder, inner_->class_names, inner_->schema);
  hard.data = inner_->data;
  return Circuit(door::make_circuit(study::compile_model(std::move(hard), {}).model));
}

}  // namespace firn::api
