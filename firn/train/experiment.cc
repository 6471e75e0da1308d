#include "firn/train/experiment.h"

#include <fmt/core.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/data/source.h"

namespace firn::training {

std::size_t model_outputs(std::size_t classes, const std::string& loss) {
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
  auto model = build_model(settings.model, encoder->output_shape(), model_outputs(data.classes, loss), settings.seed,
                           settings.layer_kinds);
  return {std::move(data), std::move(split), *std::move(encoder), std::move(model)};
}

}  // namespace firn::training
