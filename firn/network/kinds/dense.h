// Dense layer of gates: each reads a fixed pair of inputs.
#pragma once

#include <string>
#include <vector>

#include "firn/network/kind.h"

namespace firn::network {

struct DenseSettings final : LayerSettings {
  std::size_t outputs = 0;
  std::string wiring = "random";  // a name in wirings()

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
};

// A layer with the given wires, [outputs][2] features.
LayerDescription describe_dense(std::string name, std::size_t inputs, std::vector<std::uint32_t> wires);

// Does each gate of `above` read two outputs of the layer below that nobody else reads, and all of them?
bool is_matching(const LayerDescription& above);

}  // namespace firn::network
