#include "firn/train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/train/rank_agreement.h"

namespace firn::training {

namespace {

constexpr double kLossKeep = 0.99;  // of the moving average

// Of the data and the teacher.
Fingerprints fingerprints_of_all(const Experiment& experiment) {
  Fingerprints found = fingerprints_of(experiment.data);
  if (experiment.teacher) found.teacher = experiment.teacher->origin();
  return found;
}

// Nothing where it is missing or damaged.
std::optional<Checkpoint> find_sound(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return Checkpoint::read(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Trainer::Trainer(Experiment& experiment, Setup setup, Threads& threads, Ranks& ranks)
    : experiment_(experiment),
      setup_(std::move(setup)),
      threads_(threads),
      ranks_(ranks),
      fingerprints_(fingerprints_of_all(experiment)),
      augmenter_(setup_.augment, experiment.data, setup_.seed),
      input_(experiment.data.train, experiment.encoder, augmenter_,
             BatchOrder(experiment.split.train, setup_.settings.batch, setup_.seed), experiment.model->input(),
             setup_.settings.shard, threads.count(), experiment.teacher ? &*experiment.teacher : nullptr),
      batch_step_(*experiment.model, experiment.loss, setup_.settings.batch, setup_.settings.shard, threads, ranks),
      optimizer_(make_optimizer(*experiment.model, setup_.settings.optimizer)),
      gradients_(*experiment.model),
      evaluator_(*experiment.model, experiment.encoder, experiment.loss, setup_.settings.temperature,
                 experiment.classes(), threads, ranks) {
  check_same_ground(setup_.config, fingerprints_, ranks, experiment.teacher ? experiment.teacher->fingerprint() : "");
  const std::size_t groups = experiment.model->neurons().size();
  plan_.weights.resize(groups);
  temperatures_.resize(groups);
}

double Trainer::train_one_step() {
  plan_.step = ++step_;
  const float temperature = static_cast<float>(setup_.settings.temperature);
  for (WeightPlan& plan : plan_.weights)
    plan = {.forward_temperature = temperature, .backward_temperature = temperature};
  for (Hook* hook : setup_.hooks) hook->before_step(plan_);
  input_.select(step_);
  for (std::size_t g = 0; g < temperatures_.size(); ++g) temperatures_[g] = plan_.weights[g].backward_temperature;
  gradients_.assign(batch_step_.scores(), temperatures_);
  // Rows move as soon as their scores are there, unless the norm of all of them has to be known before.
  const bool moves_at_once = !optimizer_->needs_all_gradients();
  if (moves_at_once) optimizer_->start(learning_rate());
  const LossSum sum = batch_step_.run(input_, plan_.weights, [this, moves_at_once](const Model::RowBlock& rows) {
    for (Hook* hook : setup_.hooks)
      hook->before_update({*experiment_.model, rows, batch_step_.scores()[rows.group].row(rows.first)});
    if (moves_at_once) optimizer_->move_rows(*experiment_.model, gradients_, rows);
  });
  const double loss = sum.loss / static_cast<double>(setup_.settings.batch);
  check_finite(loss, moves_at_once ? optimizer_->finish(*experiment_.model)
                                   : optimizer_->update(*experiment_.model, gradients_, learning_rate(), threads_));
  loss_ema_ = step_ == 1 ? loss : kLossKeep * loss_ema_ + (1 - kLossKeep) * loss;
  for (Hook* hook : setup_.hooks) hook->on_step({step_, loss, *experiment_.model, *optimizer_, batch_step_.scores()});
  return loss;
}

double Trainer::learning_rate() const {
  const TrainSettings& s = setup_.settings;
  return scheduled_rate(s.schedule, s.optimizer.learning_rate, step_, s.steps);
}

void Trainer::check_same_logits() {
  if (ranks_.is_alone()) return;
  Checksum checksum;
  for (const Neurons* group : std::as_const(*experiment_.model).neurons()) {
    checksum.add(std::as_bytes(std::span(group->logits.data(), group->count() * kSlots)));
    checksum.add(std::as_bytes(std::span(group->frozen)));
  }
  if (const std::optional<int> other = odd_one_out(ranks_.gather(checksum.digits())))
    throw Error(
        fmt::format("the logits of rank {} differ from those of the other ranks after step {}; its memory or processor "
                    "may be faulty: continue with --resume on other machines",
                    *other, step_));
}

void Trainer::check_finite(double loss, const Neurons* damaged) const {
  if (damaged != nullptr)
    throw Error(
        fmt::format("training stopped at step {}: logits of layer {} are not finite; try a smaller "
                    "train.learning_rate, or train.clip",
                    step_, damaged->name));
  if (!std::isfinite(loss))
    throw Error(
        fmt::format("training stopped at step {}: the loss at the head is {}; try a larger model.tau", step_, loss));
}

Metrics Trainer::measure() {
  Metrics metrics;
  metrics.step = step_;
  metrics.train_loss = loss_ema_;
  metrics.learning_rate = learning_rate();
  const auto risk = [&](EvaluationMode mode) {
    return evaluator_.run(experiment_.data.train, experiment_.split.validation, mode).risk();
  };
  metrics.risks.relaxed = risk(EvaluationMode::kRelaxed);
  metrics.risks.discrete = risk(EvaluationMode::kDiscrete);
  // On binary inputs chosen gates see only bits, so the computation gap is zero and needs no third pass.
  metrics.risks.argmax_on_reals =
      experiment_.encoder.is_binary() ? metrics.risks.discrete : risk(EvaluationMode::kArgmaxOnReals);
  metrics.frozen = frozen_fraction(*experiment_.model, setup_.scope);
  metrics.layers = measure_layers(*experiment_.model, setup_.settings.temperature, threads_);
  if (setup_.take_resampled) metrics.resampled = setup_.take_resampled();
  return metrics;
}

void Trainer::visit_state(StateVisitor& visitor, const std::vector<Hook*>& hooks) {
  experiment_.model->visit_state(visitor);
  optimizer_->visit_state(visitor);
  for (Hook* hook : hooks) hook->visit_state(visitor);
  visitor.visit("trainer.loss_ema", std::span(&loss_ema_, 1));
  visitor.visit("trainer.best_accuracy", std::span(&best_accuracy_, 1));
  visitor.visit("trainer.best_step", std::span(&best_step_, 1));
}

void Trainer::visit_best_loss(StateVisitor& visitor) {
  if (!chooses_by_loss()) return;
  visitor.visit("trainer.best_loss", std::span(&best_loss_, 1));
  visitor.visit("trainer.stale", std::span(&stale_, 1));
}

CheckpointHeader Trainer::header() const {
  const Dataset& data = experiment_.data;
  CheckpointHeader header{setup_.config, step_, experiment_.model->outputs(), {}, data.class_names, data.schema};
  for (const Hook* hook : setup_.hooks) header.hooks.push_back(hook->name());
  header.head = head_scale_of(*experiment_.model);
  header.loss = experiment_.loss.scale;
  header.data = fingerprints_;
  return header;
}

void Trainer::save(const std::filesystem::path& path) {
  save_checkpoint(path, header(), experiment_.encoder, [this](StateVisitor& visitor) { visit_state(visitor); });
}

void Trainer::save_last(const RunFolder& folder) {
  folder.rotate([this](const std::filesystem::path& path) { save(path); });
}

void Trainer::save_kept(const RunFolder& folder) {
  save(folder.kept(step_));
}

void Trainer::restore(const Checkpoint& checkpoint) {
  std::vector<std::string> hooks;
  for (const Hook* hook : setup_.hooks) hooks.push_back(hook->name());
  if (checkpoint.header().hooks != hooks)
    throw Error(fmt::format(
        "{} was made with other strategies than this configuration names; resume with its own configuration",
        checkpoint.source()));
  restore(checkpoint, setup_.hooks);
  checkpoint.restore([&](StateVisitor& visitor) { visit_best_loss(visitor); });
}

void Trainer::fork(const Checkpoint& checkpoint) {
  const std::vector<std::string>& known = checkpoint.header().hooks;
  std::vector<Hook*> hooks;
  for (Hook* hook : setup_.hooks)
    if (std::ranges::find(known, hook->name()) != known.end()) hooks.push_back(hook);
  restore(checkpoint, hooks);
  best_accuracy_ = -1;
  best_step_ = 0;
}

void Trainer::restore(const Checkpoint& checkpoint, const std::vector<Hook*>& hooks) {
  checkpoint.restore([&](StateVisitor& visitor) { visit_state(visitor, hooks); });
  restore_head(checkpoint, *experiment_.model);
  experiment_.model->rewire();
  step_ = checkpoint.header().step;
}

bool Trainer::chooses_by_loss() const {
  return setup_.settings.patience > 0 || experiment_.loss.scale.predicts_values();
}

bool Trainer::is_out_of_patience() const {
  const TrainSettings& s = setup_.settings;
  return s.patience > 0 && stale_ >= s.patience && step_ < s.steps;
}

bool Trainer::is_best(const Risk& discrete) {
  if (!chooses_by_loss()) {
    if (discrete.accuracy < best_accuracy_) return false;
    best_accuracy_ = discrete.accuracy;
    return true;
  }
  if (discrete.loss > best_loss_) {
    ++stale_;
    return false;
  }
  // Exactly the same loss is the same circuit, as before the first gate changes: no reason to lose patience.
  if (discrete.loss < best_loss_) stale_ = 0;
  best_loss_ = discrete.loss;
  return true;
}

void Trainer::keep_best(const RunFolder* folder) {
  best_step_ = step_;
  if (folder != nullptr)
    save(folder->best());
  else if (setup_.settings.patience > 0)
    best_in_memory_ = checkpoint_bytes(header(), experiment_.encoder, [this](StateVisitor& v) { visit_state(v); });
}

void Trainer::go_to_best_in_memory() {
  FIRN_CHECK(setup_.settings.patience > 0 && !best_in_memory_.empty());
  restore_model(Checkpoint::parse(SafetensorsFile::parse(best_in_memory_, "the best step")), *experiment_.model);
}

bool Trainer::is_kept() const {
  const std::vector<std::uint64_t>& steps = setup_.settings.keep_at;
  return std::ranges::find(steps, step_) != steps.end();
}

void Trainer::replace_lost(const RunFolder& folder) {
  // Resumed from the best step, whose kept checkpoint was to come next.
  if (is_kept() && !find_sound(folder.kept(step_))) save(folder.kept(step_));
  if (best_step_ == 0 || find_sound(folder.best())) return;
  if (best_step_ == step_) return save(folder.best());
  for (const std::filesystem::path& same : {folder.kept(best_step_), folder.previous()})
    if (const auto found = find_sound(same); found && found->header().step == best_step_)
      return write_file(folder.best(), read_text(same));
}

bool Trainer::run(const RunFolder* folder, const TrainObserver& observer) {
  const TrainSettings& s = setup_.settings;
  std::optional<JsonLines> metrics_file;
  if (folder != nullptr) metrics_file.emplace(folder->open_metrics(step_));
  std::optional<double> discrete_accuracy;
  Stopwatch since_saved, interval;
  std::uint64_t interval_steps = 0;
  bool saved = true;
  const auto store_tables = [&] {
    if (folder == nullptr) return;
    metrics_file->sync();
    if (observer.before_checkpoint) observer.before_checkpoint();
  };
  const auto checkpoint = [&] {
    store_tables();
    if (folder != nullptr) save_last(*folder);
    since_saved = Stopwatch();
    saved = true;
  };
  if (folder != nullptr) replace_lost(*folder);
  while (step_ < s.steps && !is_out_of_patience()) {
    if (ranks_.any(observer.cancelled && observer.cancelled())) {
      if (!saved) checkpoint();
      return false;
    }
    const double loss = train_one_step();
    saved = false;
    ++interval_steps;
    if (observer.on_step) observer.on_step(step_, loss, discrete_accuracy);
    if (step_ % s.eval_every == 0 || step_ == s.steps) {
      const double elapsed = interval.seconds();
      check_same_logits();
      Metrics metrics = measure();
      metrics.ms_per_step = 1000 * elapsed / static_cast<double>(interval_steps);
      metrics.seconds_left = metrics.ms_per_step / 1000 * static_cast<double>(s.steps - step_);
      if (!metrics.risks.discrete.r2) discrete_accuracy = metrics.risks.discrete.accuracy;
      const bool is_new_best = step_ >= setup_.best_from && is_best(metrics.risks.discrete);
      if (metrics_file) metrics_file->add(to_json(metrics));
      if (is_new_best) {
        store_tables();
        keep_best(folder);
      }
      if (observer.on_metrics) observer.on_metrics(metrics);
      interval = Stopwatch();
      interval_steps = 0;
    }
    if (folder != nullptr && is_kept()) {
      store_tables();
      save(folder->kept(step_));
    }
    const bool by_steps = s.checkpoint_every != 0 && step_ % s.checkpoint_every == 0;
    const bool by_time = s.checkpoint_minutes > 0 && since_saved.seconds() > 60 * s.checkpoint_minutes;
    if (by_steps || by_time || step_ == s.steps || is_out_of_patience()) checkpoint();
  }
  return true;
}

}  // namespace firn::training
