// The family of layer kinds: what a list of layers can name, the keys of each, and the layer that they describe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/feature_limit.h"
#include "firn/base/key_table.h"
#include "firn/base/random.h"
#include "firn/network/layer.h"

namespace firn::network {

// Where a layer is about to stand.
struct LayerPlace {
  std::string name;
  Shape input;
  std::uint64_t seed = 1;
  bool has_gaussian_logits = false;  // they come first in the layer's stream of random numbers
  std::size_t number = 1;            // in its network, from 1
  // What a wiring may go by; the defaults stand for a layer alone.
  std::size_t bits_per_value = 1;  // channels c, c + C, c + 2C, ... of the input are so many bits of one value
  std::size_t level = 0;           // dense layers directly below
  Shape image = {};                // what the lowest of those reads; where there are none, see input
  std::size_t groups = 1;          // that the head counts the outputs in; 1 where another layer follows

  // Refuses the layer in a sentence that begins with its number and name.
  [[noreturn]] void refuse(const std::string& why) const;
  // Random numbers for the wiring of a layer with so many neurons.
  RandomSequence random(std::size_t neurons) const;
};

// The settings of one kind of layer.
class LayerSettings {
 public:
  virtual ~LayerSettings() = default;
  virtual void declare(KeyTable& keys) = 0;
  // A layer with its wiring drawn. An Error says what does not fit together.
  virtual LayerDescription build(const LayerPlace& place) const = 0;
};

struct LayerKind {
  std::string_view name;
  std::string_view summary;
  std::string_view short_name;  // begins the names of layers that are given none, such as conv1
  std::unique_ptr<LayerSettings> (*make)();
};

using LayerKinds = std::vector<LayerKind>;

// The kinds that Firn brings. A program adds its own to a copy.
LayerKinds standard_layer_kinds();

// One layer of a list, as users write it.
struct ListedLayer {
  std::string kind;
  std::vector<std::pair<std::string, Value>> values;  // keys of the kind, or "name"

  friend bool operator==(const ListedLayer&, const ListedLayer&) = default;
};

// An Error that says what is wrong with the kind or the keys of layer `number` of a list; nothing is built.
void check_keys(const ListedLayer& layer, std::size_t number, const LayerKinds& kinds);

// The layers of a list, each named and built on the output of the one before. An Error says which layer is wrong.
// `ends` is the place of the first layer, with the groups of the last one.
std::vector<LayerDescription> build_layers(const std::vector<ListedLayer>& list, const LayerPlace& ends,
                                           const LayerKinds& kinds);

// The parts of a convolution that its settings give: window, padding, stride, pool and output. On images of a single
// line everything has one line. Refuses what does not fit.
void place_window(const LayerPlace& place, std::size_t side, std::size_t padding, std::size_t stride, std::size_t pool,
                  LayerDescription& layer);

}  // namespace firn::network
