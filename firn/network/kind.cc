#include "firn/network/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/nearest.h"
#include "firn/logic/gate.h"
#include "firn/network/boolean_network.h"
#include "firn/network/kinds/chain.h"
#include "firn/network/kinds/dense.h"
#include "firn/network/kinds/or_pool.h"
#include "firn/network/kinds/slot_conv.h"
#include "firn/network/kinds/slot_dense.h"
#include "firn/network/kinds/slot_select.h"
#include "firn/network/kinds/tree_conv.h"

namespace firn::network {

namespace {

template <class Settings>
std::unique_ptr<LayerSettings> make() {
  return std::make_unique<Settings>();
}

const LayerKind& kind_from_name(const std::string& name, std::size_t number, const LayerKinds& kinds) {
  for (const LayerKind& kind : kinds)
    if (kind.name == name) return kind;
  const auto names = names_of(kinds);
  const std::string near = suggestion(name, names);
  throw Error(fmt::format("layer {}: there is no kind of layer \"{}\"{}", number, name,
                          near.empty() ? fmt::format("; choose {}", fmt::join(names, ", ")) : near));
}

KeyTable keys_of(LayerSettings& settings, std::string& name) {
  KeyTable keys;
  keys.section("", "");
  keys.add("name", name, "The name of the layer.");
  settings.declare(keys);
  return keys;
}

void assign(const KeyTable& keys, const ListedLayer& layer, std::size_t number) {
  for (const auto& [name, value] : layer.values) {
    const Key* key = keys.find(name);
    if (key == nullptr) {
      const auto known = keys.key_names();
      const std::string near = suggestion(name, known);
      throw Error(fmt::format("layer {}: {} has no key \"{}\"{}", number, layer.kind, name,
                              near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
    }
    if (!key->set(value))
      throw Error(fmt::format("layer {}: {} must be {}, not {}", number, name, key->expected, to_toml(value)));
  }
}

bool is_plain_name(const std::string& name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::ranges::all_of(name, is_plain);
}

// Moves on from the place of a layer to the one above it.
void go_above(const LayerDescription& layer, LayerPlace& place) {
  if (is_placed_once(layer)) {
    if (place.level++ == 0) place.image = place.input;
  } else {
    place.level = 0;
    place.bits_per_value = 1;
  }
  place.input = layer.output;
}

}  // namespace

void LayerPlace::refuse(const std::string& why) const {
  throw Error(fmt::format("layer {} ({}): {}", number, name, why));
}

RandomSequence LayerPlace::random(std::size_t neurons) const {
  constexpr std::uint64_t kWordsOfNormal = 4;  // that RandomSequence::normal() takes from a stream
  const std::uint64_t logits = has_gaussian_logits ? neurons * kSlots : 0;
  return RandomSequence(Random(seed, "model/" + name), kWordsOfNormal * logits);
}

LayerKinds standard_layer_kinds() {
  return {
      {"tree-conv", "filters that are trees of gates, with OR-pooling", "conv", make<TreeConvSettings>},
      {"slot-conv", "filters of one gate that chooses its two places in the window", "conv", make<SlotConvSettings>},
      {"dense", "gates on fixed pairs of inputs", "fc", make<DenseSettings>},
      {"chain", "chains of gates, each with an input of its own", "fc", make<ChainSettings>},
      {"slot-dense", "gates that choose their pair of inputs", "fc", make<SlotDenseSettings>},
      {"slot-select", "wires that choose one of sixteen inputs", "select", make<SlotSelectSettings>},
      {"or-pool", "OR over 2 x 2 places of each channel", "pool", make<OrPoolSettings>},
  };
}

void check_keys(const ListedLayer& layer, std::size_t number, const LayerKinds& kinds) {
  const auto settings = kind_from_name(layer.kind, number, kinds).make();
  std::string name;
  KeyTable keys = keys_of(*settings, name);
  assign(keys, layer, number);
}

std::vector<LayerDescription> build_layers(const std::vector<ListedLayer>& list, const LayerPlace& ends,
                                           const LayerKinds& kinds) {
  std::vector<LayerDescription> layers;
  std::map<std::string_view, std::size_t> counts;
  std::set<std::string> used;
  LayerPlace place = ends;
  place.number = 0;
  for (const ListedLayer& listed : list) {
    const LayerKind& kind = kind_from_name(listed.kind, ++place.number, kinds);
    place.groups = place.number == list.size() ? ends.groups : 1;
    const auto settings = kind.make();
    place.name = fmt::format("{}{}", kind.short_name, ++counts[kind.short_name]);
    KeyTable keys = keys_of(*settings, place.name);
    assign(keys, listed, place.number);
    for (const char* meant : {"conv", "all", "auto"})
      if (place.name == meant) place.refuse(fmt::format("\"{}\" names a set of layers; choose another name", meant));
    if (!is_plain_name(place.name)) place.refuse("a name consists of letters, digits, '-' and '_'");
    if (!used.insert(place.name).second) place.refuse("another layer has the same name");
    LayerDescription layer = settings->build(place);
    layer.name = place.name;
    layer.kind = listed.kind;
    if (const char* fault = fault_of(layer)) place.refuse(fault);
    go_above(layer, place);
    layers.push_back(std::move(layer));
  }
  return layers;
}

void place_window(const LayerPlace& place, std::size_t side, std::size_t padding, std::size_t stride, std::size_t pool,
                  LayerDescription& layer) {
  const Shape& in = place.input;
  const bool is_line = in.height == 1;
  layer.input = in;
  layer.window = {is_line ? 1 : side, side};
  layer.pool = {is_line ? 1 : pool, pool};
  layer.padding = {is_line ? 0 : padding, padding};
  layer.stride = stride;
  const Extent placed = placements_of(in, layer.window, layer.padding, stride);
  if (placed.size() == 0)
    place.refuse(fmt::format("a {}x{} window does not fit an input of {}x{}", layer.window.height, layer.window.width,
                             in.height, in.width));
  if (placed.height % layer.pool.height != 0 || placed.width % layer.pool.width != 0)
    place.refuse(fmt::format("{}x{} outputs cannot be pooled {}x{}; change the padding or the input size",
                             placed.height, placed.width, layer.pool.height, layer.pool.width));
  if (layer.output.channels > kMaxFeatures / placed.size())
    place.refuse(fmt::format("{} filters at {}x{} places are too many; a layer has at most {} outputs",
                             layer.output.channels, placed.height, placed.width, kMaxFeatures));
  layer.output = {layer.output.channels, placed.height / layer.pool.height, placed.width / layer.pool.width};
}

}  // namespace firn::network
