#include <algorithm>
#include <utility>
#include <vector>

#include "firn/api/network.h"
#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/data/augment.h"
#include "firn/door/inner.h"
#include "firn/refine/refiner.h"
#include "firn/refine/write_back.h"
#include "firn/study/config.h"
#include "firn/train/loss.h"

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

refine::RefineSettings settings_of(const RefineOptions& options, const std::string& augment) {
  refine::RefineSettings settings;
  settings.objective = options.objective;
  settings.layers = options.layers;
  settings.sweeps = options.sweeps;
  settings.copies = augment == "none" ? 1 : options.copies;
  settings.memory = static_cast<std::uint64_t>(options.memory * 1e9);
  settings.seed = options.seed;
  return settings;
}

// A share of [0, count), drawn by the seed, and the rest.
struct Parts {
  std::vector<std::uint32_t> held_out, fitted;
};
Parts divide(std::size_t count, const RefineOptions& options) {
  if (!(options.held_out > 0 && options.held_out < 1)) throw Error("the held-out share must be between 0 and 1");
  RandomSequence random(options.seed, "refine/held-out");
  std::vector<std::uint32_t> order = permutation(static_cast<std::uint32_t>(count), random);
  const auto held_out = static_cast<std::ptrdiff_t>(options.held_out * static_cast<double>(count));
  return {{order.begin(), order.begin() + held_out}, {order.begin() + held_out, order.end()}};
}

}  // namespace

Network Network::refine(Samples samples, Labels labels, const RefineOptions& options, int threads) const {
  data::Dataset data;
  data.shape = shape();
  data.classes = classes();
  data.train = door::examples_of(samples, labels, inner_->encoder, classes());
  const Parts parts = divide(data.train.count(), options);
  const study::Config& config = inner_->config.inner();
  const data::Augmenter augmenter(config.data.augment, data, options.seed);
  auto copy = door::clone(*inner_->model);
  const network::BooleanNetwork network = copy->harden();
  Threads workers(threads);
  refine::Refiner refiner(
      {network, training::loss_from_name(config.train.loss),
       refine::FittingData{data.train, parts.fitted, inner_->encoder, augmenter}, data.train, parts.held_out, workers},
      settings_of(options, config.data.augment));
  refine::SweepReport report;
  while (!refiner.is_finished()) refiner.sweep({.on_progress = options.on_progress}, report);
  refine::freeze_gates(refiner.best(), refiner.layers_in_scope(), *copy);
  return Network(std::shared_ptr<const Inner>(
      new Inner{inner_->config, inner_->encoder, std::move(copy), inner_->step, inner_->class_names}));
}

}  // namespace firn::api
