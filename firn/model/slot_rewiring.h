// What connection resampling needs of a layer: new wires for single slots.
#pragma once

#include <cstddef>

#include "firn/base/random.h"

namespace firn {

// Layers with slots can be given new gates and wires during training.
class SlotRewiring {
 public:
  virtual ~SlotRewiring() = default;
  // Draws a new pair of wires for slot `slot` of neuron `i`.
  virtual void redraw_wires(std::size_t i, std::size_t slot, RandomSequence& random) = 0;
  // Recomputes what is derived from the gates and wires of neuron `i`, once all of them are drawn.
  virtual void rewire_neuron(std::size_t i) = 0;
};

}  // namespace firn
