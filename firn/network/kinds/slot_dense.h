// Dense layer of neurons that choose among sixteen slots, each with a gate and a pair of inputs of its own.
#pragma once

#include <string_view>

#include "firn/network/kind.h"

namespace firn::network {

// The wiring by which families name this kind: connections are learned.
inline constexpr std::string_view kLearned = "learned";

struct SlotDenseSettings final : LayerSettings {
  std::size_t outputs = 0;

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

}  // namespace firn::network
