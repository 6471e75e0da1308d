// The description of a network: an input, a list of layers, a head. Plain data, from which everything else is made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/base/shape.h"
#include "firn/network/head.h"
#include "firn/network/layer.h"

namespace firn::network {

inline constexpr std::size_t kMaxLayers = 0xffff;  // gates of a circuit name theirs in 16 bits

struct NetworkDescription {
  Shape input;
  std::vector<LayerDescription> layers;
  Head head;

  std::size_t neurons() const {
    std::size_t count = 0;
    for (const LayerDescription& layer : layers) count += layer.neurons();
    return count;
  }
};

}  // namespace firn::network
