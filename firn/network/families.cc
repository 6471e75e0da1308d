#include "firn/network/families.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/network/kinds/chain.h"
#include "firn/network/kinds/slot_dense.h"

namespace firn::network {

namespace {

Value number(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

ListedLayer dense_layer(std::size_t outputs, const std::string& wiring) {
  if (wiring == kLearned) return {"slot-dense", {{"outputs", number(outputs)}}};
  return {"dense", {{"outputs", number(outputs)}, {"wiring", wiring}}};
}

// Four blocks for 32 x 32 images; for 28 x 28 three, the first with an unpadded 5 x 5 window. Then a dense head.
std::vector<ListedLayer> expand_treelogicnet(const ModelSettings& s, const Shape& input) {
  std::string topology = s.topology;
  if (topology == "auto") topology = input.height == 28 ? "mnist" : "cifar";
  if (topology != "cifar" && topology != "mnist")
    throw Error(fmt::format("there is no topology \"{}\"; choose auto, cifar or mnist", topology));
  const std::vector<std::size_t> multiples =
      topology == "cifar" ? std::vector<std::size_t>{1, 4, 16, 32} : std::vector<std::size_t>{1, 3, 9};
  std::vector<ListedLayer> layers;
  for (std::size_t block = 0; block < multiples.size(); ++block) {
    const bool is_wide = topology == "mnist" && block == 0;
    layers.push_back({"tree-conv",
                      {{"filters", number(s.width * multiples[block])},
                       {"depth", number(s.tree_depth)},
                       {"window", number(is_wide ? 5 : 3)},
                       {"padding", number(is_wide ? 0 : 1)},
                       {"pool", number(2)},
                       {"channels", block == 0 ? s.first_channels : s.channels}}});
  }
  const std::size_t unit = 320 * s.width * s.head_multiplier;
  for (std::size_t outputs : {4 * unit, 2 * unit, unit}) layers.push_back(dense_layer(outputs, s.wiring));
  return layers;
}

std::vector<ListedLayer> expand_compact(const ModelSettings& s, const Shape&) {
  const auto conv = [](std::size_t filters, std::size_t stride) {
    return ListedLayer{
        "slot-conv",
        {{"filters", number(filters)}, {"window", number(3)}, {"padding", number(1)}, {"stride", number(stride)}}};
  };
  const ListedLayer dense{"slot-dense", {{"outputs", number(625 * s.width)}}};
  return {conv(s.width, 2), conv(s.width, 1), conv(4 * s.width, 2), conv(4 * s.width, 1), dense, dense};
}

std::vector<ListedLayer> expand_dense(const ModelSettings& s, const Shape&) {
  if (s.wiring == kAnchored) return {{"chain", {{"outputs", number(s.width)}, {"gates", number(s.layers)}}}};
  return std::vector<ListedLayer>(s.layers, dense_layer(s.width, s.wiring));
}

std::vector<ListedLayer> expand_list(const ModelSettings& s, const Shape&) {
  if (s.layer.empty()) throw Error("model.family is \"list\", but no layer is listed; add [[model.layer]] sections");
  return s.layer;
}

struct Family {
  std::string_view name;
  std::vector<ListedLayer> (*expand)(const ModelSettings&, const Shape&);
};

constexpr Family kFamilies[] = {
    {"treelogicnet", expand_treelogicnet},
    {"compact", expand_compact},
    {"dense", expand_dense},
    {"list", expand_list},
};

}  // namespace

std::vector<std::string_view> model_families() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.name);
  return names;
}

void check_settings(const ModelSettings& s) {
  const float tau = static_cast<float>(s.tau);
  if (s.tau != 0 && !(tau > 0 && std::isfinite(tau) && std::isfinite(1 / tau)))
    throw Error(fmt::format(
        "model.tau = {} is not a temperature of the head; choose a number above 0, or 0 for the usual one", s.tau));
  if (s.wiring == kAnchored && s.family != "dense")
    throw Error(fmt::format("model.wiring \"{}\" is for the family dense; choose another wiring", kAnchored));
  if (s.wiring == kAnchored && s.layers > kMaxUnitGates)
    throw Error(fmt::format("model.wiring \"{}\" has at most {} layers, not {}", kAnchored, kMaxUnitGates, s.layers));
  if (s.family != "list") {
    if (!s.layer.empty())
      throw Error(
          fmt::format("model.family is \"{}\", but layers are listed as well; remove one of the two", s.family));
    return;
  }
  const ModelSettings usual;
  const std::pair<const char*, bool> of_families[] = {
      {"width", s.width != usual.width},
      {"layers", s.layers != usual.layers},
      {"head_multiplier", s.head_multiplier != usual.head_multiplier},
      {"tree_depth", s.tree_depth != usual.tree_depth},
      {"topology", s.topology != usual.topology},
      {"first_channels", s.first_channels != usual.first_channels},
      {"channels", s.channels != usual.channels},
      {"wiring", s.wiring != usual.wiring},
  };
  for (const auto& [key, is_set] : of_families)
    if (is_set) throw Error(fmt::format("model.{} has no effect on a list of layers; give it to the layers", key));
}

std::vector<ListedLayer> expand_layers(const ModelSettings& settings, const Shape& input) {
  for (const Family& family : kFamilies)
    if (family.name == settings.family) return family.expand(settings, input);
  throw Error(
      fmt::format("there is no model family \"{}\"; choose {}", settings.family, fmt::join(model_families(), ", ")));
}

Head describe_head(std::size_t features, std::size_t groups, double tau) {
  if (groups == 0 || features % groups != 0)
    throw Error(
        fmt::format("layer head: {} outputs cannot be cut into {} equal groups; change the width of the last layer",
                    features, groups));
  const double group = static_cast<double>(features) / static_cast<double>(groups);
  const auto divisor = static_cast<float>(tau != 0 ? tau : 20 * std::sqrt(group / 1024));
  return {.groups = groups, .factor = 1 / divisor};
}

NetworkDescription describe_network(const ModelSettings& settings, const Shape& input, std::size_t outputs,
                                    std::uint64_t seed, const LayerKinds& kinds, std::size_t bits_per_value) {
  check_settings(settings);
  if (settings.init != "residual" && settings.init != "gaussian")
    throw Error(fmt::format("there is no initialization \"{}\"; choose residual or gaussian", settings.init));
  NetworkDescription network;
  network.input = input;
  LayerPlace ends;
  ends.input = input;
  ends.seed = seed;
  ends.has_gaussian_logits = settings.init == "gaussian";
  ends.bits_per_value = bits_per_value;
  ends.groups = outputs;
  network.layers = build_layers(expand_layers(settings, input), ends, kinds);
  network.head = describe_head(network.layers.back().output.size(), outputs, settings.tau);
  return network;
}

}  // namespace firn::network
