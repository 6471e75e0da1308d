#include "firn/model/layer.h"

#include <fmt/core.h>

#include "firn/base/error.h"

namespace firn {

void damaged_wiring(const std::string& layer, std::size_t number, std::size_t limit) {
  throw Error(fmt::format("layer {}: a wire leads to {}, but there are only {} to choose from; the file is damaged",
                          layer, number, limit));
}

void Layer::weight_gradient(std::size_t, const float*, std::size_t, std::size_t, float*) const {
  FIRN_CHECK(false && "a layer without neurons has no weight gradient");
}

void initialize(Neurons& neurons, const Initialization& how, RandomSequence& random) {
  if (how.gaussian)
    initialize_gaussian(neurons, random);
  else
    initialize_residual(neurons, how.residual);
}

}  // namespace firn
