// A network written out as arrays: to look at the layers of one that Firn trained, and to bring in one from elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/api/circuit.h"
#include "firn/api/network.h"
#include "firn/api/shape.h"

namespace firn::api {

// One layer with neurons. The spans show memory of the network and live as long as a copy of it does.
// A layer has units, each of `unit_gates` neurons; neurons are numbered unit by unit. A unit reads `taps` values.
struct LayerView {
  std::string name, kind;
  Shape input, output;
  std::size_t units = 0, taps = 0, unit_gates = 0;
  std::span<const std::uint32_t> wires;  // [units][taps]: the channel of a tap; for dense layers the input feature
  std::span<const std::uint8_t> places;  // [units][taps]: line * window width + column; empty where there is no window
  std::span<const float> logits;         // [neurons][16]
  std::span<const std::int8_t> frozen;   // [neurons]: the slot, or -1
  std::vector<std::uint8_t> gates;       // [neurons]: the gate when discrete
};
std::vector<LayerView> layers_of(const Network& network);

// One layer of a compiled network.
struct LayerSummary {
  std::string name, kind;
  Shape input, output;
  std::size_t neurons = 0;
  std::size_t gates = 0;  // left in the netlist; 0 where the network runs layer by layer
};
std::vector<LayerSummary> summarize_layers(const Circuit& circuit);

// A layer as somebody else's arrays describe it. Gates are numbered by their truth tables: bits f(0,0) f(0,1) f(1,0)
// f(1,1), the first the most significant.
struct WrittenLayer {
  std::string kind = "dense";             // dense, tree-conv or or-pool
  std::vector<std::uint32_t> wires = {};  // dense: [gates][2] input features; tree-conv: [filters][leaves] channels
  std::vector<std::uint8_t> places = {};  // tree-conv: [filters][leaves], line * window + column
  std::vector<std::uint8_t> gates = {};  // dense: [gates]; tree-conv: [filters][leaves - 1] from the leaves to the root
  std::vector<float> logits = {};        // [neurons][16], in place of gates, for network_from()
  std::size_t leaves = 0;                // tree-conv: 2, 4, 8 or 16
  std::size_t window = 3, padding = 0, stride = 1, pool = 1;  // tree-conv
};

struct WrittenNetwork {
  Shape shape;                     // of a sample
  bool takes_floats = false;       // else bytes
  std::vector<float> thresholds;   // [rows][1, channels or features]: a bit is set where the value is above
  std::size_t threshold_rows = 1;  // bits per value; bit t of feature f is input t * features + f
  std::vector<WrittenLayer> layers;
  std::size_t classes = 0;  // at least two; the outputs are counted in as many equal groups
  double tau = 1;           // counts are divided by it
  std::vector<std::string> class_names = {};
};

// An Error names the layer and what does not fit. The circuit is compiled like one of Firn's own.
Circuit circuit_from(const WrittenNetwork& written);
// With logits the network is relaxed, with gates it is frozen to them.
Network network_from(const WrittenNetwork& written);

}  // namespace firn::api
