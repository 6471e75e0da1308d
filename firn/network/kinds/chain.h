// Dense layer of chains: each gate after the first reads the one before it and an input of its own.
//
// A chain of L gates is what a network of L dense layers computes where operand a is the output of the same number in
// the layer before and operand b an input of the whole network: wiring "anchored" to the inputs. As one layer it keeps
// the inputs alive for free and writes nothing between its gates.
#pragma once

#include <string_view>

#include "firn/network/kind.h"

namespace firn::network {

// The name of this wiring, where a family speaks of dense layers and means chains.
inline constexpr std::string_view kAnchored = "anchored";

struct ChainSettings final : LayerSettings {
  std::size_t outputs = 0;
  std::size_t gates = 4;

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

// Is each unit a chain whose gate g reads gate g - 1 and tap g + 1?
bool is_chain(const LayerDescription& layer);

}  // namespace firn::network
