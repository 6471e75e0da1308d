// A discrete network: a description in which every neuron has its gate. What both wings of the house share.
#pragma once

#include <string>
#include <vector>

#include "firn/logic/gate.h"
#include "firn/network/kind.h"
#include "firn/network/network.h"

namespace firn::network {

// No slots of its own: where neurons chose a pair with their gate, only that pair is left.
struct BooleanLayer {
  LayerDescription wiring;
  std::vector<Gate> gates;  // [units][gates], once for all placements of a unit
};

struct BooleanNetwork {
  Shape input;
  std::vector<BooleanLayer> layers;
  Head head;

  std::size_t outputs() const { return layers.back().wiring.output.size(); }
};

// Throws an Error that starts with `source` and names the layer unless every part fits: sizes that follow each other,
// taps that point to features, gates that exist, a head that divides the last layer. For networks from outside.
void check_network(const BooleanNetwork& network, const std::string& source);

// The same for one layer above an input, or another layer, of shape `below`: whoever reads a network layer by layer
// need not read on when a layer is wrong.
void check_layer(const BooleanLayer& layer, const Shape& below, const std::string& source);

// The layer with neuron n fixed to slots[n]; `opcodes` [neurons][16] are the gates of slots where slots are their own.
BooleanLayer harden(const LayerDescription& layer, const std::vector<std::uint8_t>& slots,
                    const std::vector<std::uint8_t>& opcodes);

// Number of the layer that holds the gates of a group of neurons.
std::size_t boolean_layer_of(const BooleanNetwork& network, std::size_t group);

// Layers written out, for networks that are made by hand.
BooleanLayer boolean_dense(std::string name, std::size_t inputs, std::vector<std::uint32_t> wires,  // [outputs][2]
                           std::vector<Gate> gates);

}  // namespace firn::network
