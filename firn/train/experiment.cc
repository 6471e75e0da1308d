#include "firn/train/experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/data/source.h"
#include "firn/train/loss_scale.h"

namespace firn::training {

namespace {

std::size_t group_size(const Model& model) {
  return model.layer(model.layer_count() - 1).output().shape.size() / model.outputs();
}

// Half of the outputs set gives exactly `middle`, in the arithmetic of the discrete network.
void centre_head(Model& model, Head head, float middle) {
  head.offset = middle - head.factor * static_cast<float>(group_size(model) / 2);
  model.set_head(head);
}

// Sums that should be 0 or 1 reach from -1/2 to 3/2 unless the configuration has a temperature of its own: with the
// usual one a few outputs would be the whole difference between two classes.
void centre_class_head(Model& model, const Loss& loss, double tau) {
  Head head = model.head();
  if (loss.function == squared_error && tau == 0) head.factor = 2 / static_cast<float>(group_size(model));
  centre_head(model, head, loss.threshold);
}

// Every other output starts as the complement of what it would be. Mixtures draw every wire towards one half, so that
// counts drift when the network is made discrete; classes that are compared with each other drift alike, but a sum that
// is compared with a threshold needs outputs that drift both ways. Without this, the discrete network of a loss with a
// single output was right on 60 % of breast cancer where the relaxed one was on 96 %.
void complement_every_other_output(Model& model) {
  Neurons& last = *model.neurons().back();
  const LayerDescription& wiring = model.wiring(model.neurons().size() - 1);
  if (wiring.pool.size() > 1 || model.layer_of(model.neurons().size() - 1) + 1 != model.layer_count()) return;
  for (std::size_t i = 2 * wiring.gates - 1; i < last.count(); i += 2 * wiring.gates) {  // the last gate of a unit
    if (!last.has_opcodes()) std::ranges::reverse(last.logits[i]);  // gate k is the complement of gate 15 - k
    for (std::size_t slot = 0; slot < kSlots && last.has_opcodes(); ++slot)
      last.opcodes[i * kSlots + slot] = static_cast<std::uint8_t>(kSlots - 1 - last.opcodes[i * kSlots + slot]);
  }
  model.rewire();
}

// No output set is a tenth of the training values' range below the smallest of them, all outputs set as much above the
// largest. A temperature in the configuration decides otherwise: so many outputs are then one standard deviation. With
// the usual one of classes (28 for 2,000 outputs) R2 fell from 0.91 to -0.12 on friedman1 when the network was made
// discrete; with this range it stayed at 0.90.
void fit_value_head(Model& model, const LossScale& scale, double tau, const Examples& training) {
  constexpr double kMargin = 0.1;
  const auto [low, high] = std::ranges::minmax(training.targets);
  Head head = model.head();
  head.is_value = true;
  head.factor =
      tau != 0 ? scale.unit / static_cast<float>(tau)
               : static_cast<float>((1 + 2 * kMargin) * (double{high} - low) / static_cast<double>(group_size(model)));
  centre_head(model, head, static_cast<float>((double{low} + high) / 2));
}

}  // namespace

std::size_t model_outputs(std::size_t classes, const std::string& loss) {
  if (classes == 0) return 1;  // values
  if (loss == "cross-entropy") return classes;
  if (loss == "bce" && classes != 2)
    throw Error(fmt::format("the loss \"bce\" is for two classes but the data have {}; choose cross-entropy", classes));
  return classes == 2 ? 1 : classes;
}

Experiment make_experiment(const ExperimentSettings& settings, const std::string& loss,
                           std::optional<Encoder> encoder) {
  return make_experiment(load_dataset(settings.data), settings, loss, std::move(encoder));
}

Experiment make_experiment(Dataset data, const ExperimentSettings& settings, const std::string& loss,
                           std::optional<Encoder> encoder) {
  Split split = split_train(data, settings.data);
  if (!encoder) encoder = fit_encoder(settings.encode, data, split.train);
  if (encoder->input_shape() != data.shape)
    throw Error(fmt::format(
        "the encoder is for samples of {} features but \"{}\" has {}; use the data the model was trained on",
        encoder->input_shape().size(), data.name, data.shape.size()));
  const LossScale scale = fit_loss_scale(data, split.train, settings.class_weights);
  const std::size_t outputs = model_outputs(data.classes, loss);
  auto model = build_model(settings.model, encoder->output_shape(), outputs, settings.seed, settings.layer_kinds,
                           encoder->bits_per_value());
  const Loss scaled = scaled_loss(loss, scale);
  if (scaled.is_centred || scale.predicts_values()) complement_every_other_output(*model);
  if (scaled.is_centred) centre_class_head(*model, scaled, settings.model.tau);
  if (scale.predicts_values())
    fit_value_head(*model, scale, settings.model.tau, gather_examples(data.train, split.train));
  return {std::move(data), std::move(split), *std::move(encoder), std::move(model), scaled};
}

}  // namespace firn::training
