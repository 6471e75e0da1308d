#include "firn/model/build.h"

namespace firn::model {

Initialization initialization_of(const ModelSettings& settings) {
  return {.gaussian = settings.init == "gaussian", .residual = static_cast<float>(settings.residual)};
}

std::unique_ptr<Model> build_model(const ModelSettings& settings, const Shape& input, std::size_t outputs,
                                   std::uint64_t seed, const LayerKinds& kinds, std::size_t bits_per_value) {
  return std::make_unique<Model>(describe_network(settings, input, outputs, seed, kinds, bits_per_value),
                                 initialization_of(settings), seed);
}

}  // namespace firn::model
