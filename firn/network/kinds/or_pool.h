// OR-pooling on its own: each channel shrinks to half its size, and nothing is learned.
#pragma once

#include "firn/network/kind.h"

namespace firn::network {

struct OrPoolSettings final : LayerSettings {
  void declare(KeyTable&) override {}
  LayerDescription build(const LayerPlace& place) const override;
};

}  // namespace firn::network
