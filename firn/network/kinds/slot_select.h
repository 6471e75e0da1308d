// Layer of neurons that pass on one of sixteen inputs: connections that are learned. What is chosen is a wire, so the
// layer has no gates once the network is discrete.
#pragma once

#include "firn/network/kind.h"

namespace firn::network {

struct SlotSelectSettings final : LayerSettings {
  std::size_t outputs = 0;

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

}  // namespace firn::network
