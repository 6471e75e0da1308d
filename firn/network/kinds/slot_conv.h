// Depthwise convolution of single gates: a filter chooses among sixteen slots, each a gate on two places of one window.
#pragma once

#include "firn/network/kind.h"

namespace firn::network {

struct SlotConvSettings final : LayerSettings {
  std::size_t filters = 0;
  std::size_t window = 3, padding = 1, stride = 1;

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

}  // namespace firn::network
