#include "firn/model/layer.h"

#include "firn/base/error.h"

namespace firn {

void Layer::weight_gradient(std::size_t, const float*, std::size_t, std::size_t, float*) const {
  FIRN_CHECK(false && "a layer without neurons has no weight gradient");
}

void Layer::visit_state(StateVisitor& visitor) {
  for (Neurons* group : neurons()) group->visit_state(visitor);
}

void initialize(Neurons& neurons, const Initialization& how, RandomSequence& random) {
  if (how.gaussian)
    initialize_gaussian(neurons, random);
  else
    initialize_residual(neurons, how.residual);
}

}  // namespace firn
