#include "firn/train/benchmark.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/random.h"
#include "firn/data/augment.h"
#include "firn/train/input.h"
#include "firn/train/optimizer.h"
#include "firn/train/step.h"

namespace firn::training {

namespace {

Dataset random_images(const StepBenchmarkSettings& s) {
  Dataset data;
  data.name = "random images";
  data.shape = s.image;
  data.classes = s.classes;
  const std::size_t count = 4 * s.batch;
  Matrix<std::uint8_t> images(count, s.image.size());
  RandomSequence random(1, "benchmark");
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint8_t& byte : images[i]) byte = static_cast<std::uint8_t>(random.below(256));
    data.train.labels.push_back(static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(s.classes))));
  }
  data.train.bytes = std::move(images);
  return data;
}

// Two gates of three pass their first operand on, as in a trained network; the others are any of the sixteen.
std::int8_t frozen_gate(RandomSequence& random) {
  return static_cast<std::int8_t>(random.below(3) < 2 ? static_cast<std::uint32_t>(Gate::kA) : random.below(kSlots));
}

void freeze(Model& model, const StepBenchmarkSettings& s) {
  RandomSequence random(1, "benchmark/frozen");
  for (Neurons* group : model.neurons())
    for (std::int8_t& slot : group->frozen)
      if ((s.freeze_convolutions && group->convolutional) || random.uniform() < static_cast<float>(s.frozen))
        slot = frozen_gate(random);
}

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void count_work(const Model& model, std::size_t first, std::size_t batch, StepBenchmark& result) {
  for (std::size_t l = first; l < model.layer_count(); ++l) {
    const Layer& layer = model.layer(l);
    result.forward_applications += layer.forward_applications();
    result.backward_applications += layer.backward_applications();
    // Two operands read forward, again backward, and their gradients read and written.
    if (layer.sum_width() == kSlots) result.row_bytes += layer.forward_applications() * batch * sizeof(float) * 8;
  }
}

// All threads at once: cores share power, caches and memory.
void measure_machine(Threads& threads, StepBenchmark& result) {
  std::vector<FmaRate> fma(static_cast<std::size_t>(threads.count()));
  std::vector<double> triad(fma.size());
  threads.for_each(fma.size(), [&](std::size_t i, std::size_t) { fma[i] = measure_fma_rate(0.4); });
  threads.for_each(triad.size(),
                   [&](std::size_t i, std::size_t) { triad[i] = measure_triad_rate(std::size_t{6} << 20, 0.3); });
  const double threads_used = static_cast<double>(fma.size());
  for (const FmaRate& rate : fma) {
    result.fma_per_second += rate.per_second;
    result.fma_per_cycle += rate.per_cycle() / threads_used;
    result.clock.by_multiplications += rate.clock.by_multiplications / threads_used;
    result.clock.by_additions += rate.clock.by_additions / threads_used;
  }
  result.cache_bytes_per_second = std::accumulate(triad.begin(), triad.end(), 0.0);
}

}  // namespace

StepBenchmark benchmark_step(const StepBenchmarkSettings& s, Threads& threads, Ranks& ranks) {
  StepBenchmark result;
  measure_machine(threads, result);

  const Dataset data = random_images(s);
  std::vector<std::uint32_t> indices(data.train.count());
  std::iota(indices.begin(), indices.end(), 0u);
  const Encoder encoder = fit_encoder(s.encode, data, indices);
  const auto model =
      build_model(s.model, encoder.output_shape(), s.classes, 1, standard_layer_kinds(), encoder.bits_per_value());
  freeze(*model, s);
  const Augmenter augmenter(s.augment, data, 1);
  TrainingInput input(data.train, encoder, augmenter, BatchOrder(indices, s.batch, 1), model->input(), s.shard,
                      threads.count());
  BatchStep step(*model, loss_from_name("cross-entropy"), s.batch, s.shard, threads, ranks);
  const auto optimizer = make_optimizer(*model, s.optimizer);
  const bool at_once = !optimizer->needs_all_gradients();  // as in training
  LogitGradients gradients(*model);
  const std::vector<float> temperatures(model->neurons().size(), 1.f);
  const std::vector<WeightPlan> plan(1);

  std::vector<double> total, encode, forward, backward, reduce, update;
  const double workers = threads.count();
  std::uint64_t bytes_before = 0, messages_before = 0;
  for (std::size_t i = 1; i <= s.warm_up + s.steps; ++i) {
    if (i == s.warm_up + 1) bytes_before = ranks.bytes_sent(), messages_before = ranks.messages_sent();
    const Stopwatch whole;
    input.select(i);
    gradients.assign(step.scores(), temperatures);
    if (at_once) optimizer->start(s.optimizer.learning_rate);
    step.run(input, plan, [&](const Model::RowBlock& rows) {
      if (at_once) optimizer->move_rows(*model, gradients, rows);
    });
    const Stopwatch optimizing;
    if (!at_once) optimizer->update(*model, gradients, s.optimizer.learning_rate, threads);
    const double optimize_time = optimizing.seconds(), whole_time = whole.seconds();
    if (i <= s.warm_up) continue;
    const StepTimes& t = step.times();
    total.push_back(1e3 * whole_time);
    encode.push_back(1e3 * t.encode / workers);
    forward.push_back(1e3 * t.forward / workers);
    backward.push_back(1e3 * t.backward / workers);
    reduce.push_back(1e3 * t.reduce);
    update.push_back(1e3 * (t.update + t.reduce + t.gradients + optimize_time));
  }
  result.step_ms = quantile(total, 0.5);
  result.step_low_ms = quantile(total, 0.25);
  result.step_high_ms = quantile(total, 0.75);
  result.encode_ms = quantile(encode, 0.5);
  result.forward_ms = quantile(forward, 0.5);
  result.backward_ms = quantile(backward, 0.5);
  result.update_ms = quantile(update, 0.5);
  result.reduce_ms = quantile(reduce, 0.5);
  result.bytes_sent = (ranks.bytes_sent() - bytes_before) / s.steps;
  result.messages_sent = (ranks.messages_sent() - messages_before) / s.steps;
  result.logits = model->parameters();
  count_work(*model, step.first_layer(), s.batch, result);
  const double samples = static_cast<double>(s.batch);
  const double forward_operations = 3 * samples * static_cast<double>(result.forward_applications);
  const double backward_operations = 12 * samples * static_cast<double>(result.backward_applications);
  result.forward_bound_ms = 1e3 * forward_operations / result.fma_per_second;
  result.bound_ms = 1e3 * (forward_operations + backward_operations) / result.fma_per_second;
  result.row_bound_ms = 1e3 * static_cast<double>(result.row_bytes) / result.cache_bytes_per_second;
  const double applications = samples * static_cast<double>(result.forward_applications + result.backward_applications);
  result.gate_ns = 1e6 * workers * (result.forward_ms + result.backward_ms) / applications;
  return result;
}

}  // namespace firn::training
