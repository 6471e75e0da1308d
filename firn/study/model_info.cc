#include "firn/study/model_info.h"

#include <algorithm>
#include <optional>

#include "firn/data/source.h"
#include "firn/study/memory_needs.h"
#include "firn/study/session.h"
#include "firn/train/experiment.h"

namespace firn::study {

namespace {

// What must be known of the data to build a model.
struct SampleKind {
  Shape shape;
  std::size_t classes;
};

SampleKind sample_kind(DataSettings settings, const std::string& data_root) {
  constexpr std::size_t kImageClasses = 10;
  if (const std::optional<Shape> shape = known_sample_shape(settings)) return {*shape, kImageClasses};
  settings.root = data_root;
  const Dataset data = load_dataset(settings);
  return {data.shape, data.classes};
}

// Logits, weights, scores and moments; gradient sums per shard; a workspace per thread, and two to evaluate with: the
// test set is evaluated while training still has its own. Then the checkpoint that is read back.
double training_megabytes(const Model& model, const Config& config) {
  const std::size_t threads = 2, shards = (config.train.batch + config.train.shard - 1) / config.train.shard;
  const std::size_t evaluators = 2, moments = config.train.optimizer.name == "sgd" ? 1 : 2;
  std::size_t bytes = (3 + moments + 1 + moments) * model.parameters() * sizeof(float);
  for (const Matrix<float>& sums : model.make_sums().layers) bytes += (shards + 1) * sums.bytes();
  bytes += std::min(threads, shards) * model.make_workspace(config.train.shard, /*with_gradients=*/true).bytes() +
           evaluators * threads * model.make_workspace(32, /*with_gradients=*/false).bytes();
  return static_cast<double>(bytes) / (1 << 20);
}

}  // namespace

ModelInfo info_of(const Model& model, const Config& config) {
  ModelInfo info;
  for (std::size_t l = 0; l < model.layer_count(); ++l) {
    const Layer& layer = model.layer(l);
    LayerInfo& own = info.layers.emplace_back(LayerInfo{layer.name(), layer.describe(), layer.output().shape});
    own.applications = layer.forward_applications();
    for (const Neurons* group : layer.neurons()) {
      own.neurons += group->count();
      own.frozen += group->frozen_count();
    }
    info.applications += own.applications;
  }
  info.logits = model.parameters();
  info.training_megabytes = training_megabytes(model, config);
  return info;
}

Shape encoded_sample_shape(const Config& config, const std::string& data_root) {
  return encoded_shape(config.encode, sample_kind(config.data, data_root).shape);
}

ModelInfo info_of(const Config& config, const std::string& data_root) {
  const SampleKind samples = sample_kind(config.data, data_root);
  const auto model = build_model(config.model, encoded_shape(config.encode, samples.shape),
                                 model_outputs(samples.classes, config.train.loss), config.seed,
                                 config.parts->layer_kinds, bits_per_value(config.encode));
  return info_of(*model, config);
}

}  // namespace firn::study
