// Dense layer of neurons that choose among sixteen slots, each with a gate and a pair of inputs of its own.
#pragma once

#include "firn/network/kind.h"

namespace firn::network {

struct SlotDenseSettings final : LayerSettings {
  std::size_t outputs = 0;

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

}  // namespace firn::network
