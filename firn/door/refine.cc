#include <algorithm>
#include <utility>
#include <vector>

#include "firn/api/network.h"
#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/door/inner.h"
#include "firn/refine/refiner.h"
#include "firn/refine/write_back.h"
#include "firn/study/config.h"
#include "firn/train/loss.h"

namespace firn::api {

namespace {

refine::RefineSettings settings_of(const RefineOptions& options) {
  if (!(options.memory > 0 && options.memory <= 1e6)) throw Error("the memory must be between 0 and 1,000,000 GB");
  refine::RefineSettings settings;
  settings.objective = options.objective;
  settings.layers = options.layers;
  settings.sweeps = options.sweeps;
  settings.copies = options.copies;
  settings.memory = static_cast<std::uint64_t>(options.memory * 1e9);
  settings.seed = options.seed;
  return settings;
}

// A share of [0, count), drawn by the seed, and the rest.
struct Division {
  std::vector<std::uint32_t> held_out, fitted;
};
Division divide(std::size_t count, const RefineOptions& options) {
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
  const Division parts = divide(data.train.count(), options);
  const study::Config& config = inner_->config.inner();
  auto copy = door::clone(*inner_->model);
  const network::BooleanNetwork network = copy->harden();
  Threads workers(threads);
  const training::Loss loss = training::scaled_loss(config.train.loss, inner_->loss_scale);
  refine::Refiner refiner(
      {network, loss, data, inner_->encoder, config.data.augment, parts.fitted, parts.held_out, workers},
      settings_of(options));
  refiner.run(options.on_progress);
  refine::freeze_gates(refiner.best(), refiner.layers_in_scope(), *copy);
  return Network(
      std::shared_ptr<const Inner>(new Inner{inner_->config, inner_->encoder, std::move(copy), inner_->step,
                                             inner_->class_names, inner_->schema, inner_->loss_scale, inner_->data}));
}

}  // namespace firn::api
