#include "firn/train/metrics.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "firn/base/progress.h"
#include "firn/kernels/mixture.h"

namespace firn::training {

std::vector<std::pair<std::string, Risk>> Gaps::rows() const {
  return {
      {"relaxed", relaxed},           {"argmax_on_reals", argmax_on_reals}, {"discrete", discrete},
      {"selection_gap", selection()}, {"computation_gap", computation()},   {"discretization_gap", discretization()}};
}

Risk Gaps::lost(const Risk& from, const Risk& to) {
  Risk lost{to.loss - from.loss, from.accuracy - to.accuracy};
  if (from.r2 && to.r2) lost.r2 = *from.r2 - *to.r2;
  return lost;
}

nlohmann::json to_json(const Metrics& m) {
  nlohmann::json layers = nlohmann::json::array();
  for (const LayerMetrics& layer : m.layers)
    layers.push_back({{"name", layer.name}, {"entropy", layer.entropy}, {"frozen", layer.frozen}});
  const auto risk = [](const Risk& r) {
    return r.r2 ? nlohmann::json{{"loss", r.loss}, {"r2", *r.r2}}
                : nlohmann::json{{"loss", r.loss}, {"accuracy", r.accuracy}};
  };
  const Gaps& risks = m.risks;
  return {{"step", m.step},
          {"train_loss", m.train_loss},
          {"learning_rate", m.learning_rate},
          {"relaxed", risk(risks.relaxed)},
          {"argmax_on_reals", risk(risks.argmax_on_reals)},
          {"discrete", risk(risks.discrete)},
          {"gap", risk(risks.discretization())},
          {"selection_gap", risks.selection().loss},
          {"computation_gap", risks.computation().loss},
          {"frozen", m.frozen},
          {"layers", layers},
          {"resampled", m.resampled},
          {"ms_per_step", m.ms_per_step},
          {"seconds_left", m.seconds_left}};
}

std::string to_line(const Metrics& m) {
  const Risk &relaxed = m.risks.relaxed, &discrete = m.risks.discrete;
  std::string line =
      fmt::format("step {:>7}  train loss {:.4f}  val loss {:.4f}", format_count(m.step), m.train_loss, relaxed.loss);
  if (discrete.r2)
    line += fmt::format("  R2 relaxed {:7.4f}  discrete {:7.4f}", *relaxed.r2, *discrete.r2);
  else
    line += fmt::format("  accuracy relaxed {:5.2f} %  discrete {:5.2f} %", 100 * relaxed.accuracy,
                        100 * discrete.accuracy);
  line += fmt::format("  frozen {:5.1f} %", 100 * m.frozen);
  if (m.resampled > 0) line += fmt::format("  resampled {}", format_count(m.resampled));
  return line + fmt::format("  {:.1f} ms/step  ETA {}", m.ms_per_step, format_duration(m.seconds_left));
}

double frozen_fraction(const Model& model, std::span<const std::size_t> groups) {
  std::size_t frozen = 0, all = 0;
  const auto neurons = model.neurons();
  for (std::size_t g : groups) {
    frozen += neurons[g]->frozen_count();
    all += neurons[g]->count();
  }
  return all == 0 ? 0 : static_cast<double>(frozen) / static_cast<double>(all);
}

std::vector<LayerMetrics> measure_layers(const Model& model, double temperature, Threads& threads) {
  std::vector<LayerMetrics> layers;
  for (const Neurons* group : model.neurons()) {
    Matrix<float> weights(group->count(), kSlots);
    std::vector<float> entropy(group->count());
    for_each_block(group->count(), threads, [&](std::size_t first, std::size_t rows) {
      softmax_rows(rows, group->logits.row(first), static_cast<float>(temperature), weights.row(first));
      entropy_rows(rows, weights.row(first), &entropy[first]);
    });
    for (std::size_t i = 0; i < entropy.size(); ++i)
      if (group->frozen[i] >= 0) entropy[i] = 0;
    const double count = static_cast<double>(group->count());
    layers.push_back({group->name, std::accumulate(entropy.begin(), entropy.end(), 0.0) / count,
                      static_cast<double>(group->frozen_count()) / count});
  }
  return layers;
}

}  // namespace firn::training
