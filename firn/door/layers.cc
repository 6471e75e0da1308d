#include "firn/api/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/feature_limit.h"
#include "firn/door/inner.h"
#include "firn/model/build.h"
#include "firn/network/families.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/config.h"

namespace firn::api {

namespace {

// Complaints about a layer of somebody else's network begin with its number and kind.
[[noreturn]] void refuse(std::size_t number, const WrittenLayer& layer, const std::string& why) {
  throw Error(fmt::format("layer {} ({}): {}", number, layer.kind, why));
}

void check_count(std::size_t number, const WrittenLayer& layer, const char* what, std::size_t given,
                 std::size_t wanted) {
  if (given != wanted) refuse(number, layer, fmt::format("there are {} {}, but {} are needed", given, what, wanted));
}

// Units of a layer, by its wires.
std::size_t units_of(std::size_t number, const WrittenLayer& layer) {
  const std::size_t taps = layer.kind == "dense" ? 2 : layer.leaves;
  if (layer.kind == "tree-conv" && (!std::has_single_bit(layer.leaves) || layer.leaves < 2 || layer.leaves > 16))
    refuse(number, layer, fmt::format("a tree has 2, 4, 8 or 16 leaves, not {}", layer.leaves));
  if (layer.wires.empty() || layer.wires.size() % taps != 0)
    refuse(number, layer, fmt::format("{} wires are not {} for each unit", layer.wires.size(), taps));
  return layer.wires.size() / taps;
}

// The neurons of a layer, whose gates or logits must be there and whose wires must lead somewhere.
void check_arrays(std::size_t number, const WrittenLayer& layer, const network::LayerDescription& wiring) {
  if (!layer.logits.empty() && !layer.gates.empty()) refuse(number, layer, "give either gates or logits");
  if (layer.logits.empty())
    check_count(number, layer, "gates", layer.gates.size(), wiring.neurons());
  else
    check_count(number, layer, "logits", layer.logits.size(), wiring.neurons() * logic::kSlots);
  for (const std::uint8_t gate : layer.gates)
    if (gate >= logic::kGates) refuse(number, layer, fmt::format("there is no gate {}; gates are 0 to 15", gate));
  for (const std::uint32_t wire : wiring.tap_channel)
    if (wire >= wiring.input.channels)
      refuse(number, layer, fmt::format("a wire leads to {}, but there are only {}", wire, wiring.input.channels));
  for (const std::uint8_t place : wiring.tap_place)
    if (place >= wiring.window.size())
      refuse(number, layer,
             fmt::format("a leaf lies at place {}, but the window has only {}", place, wiring.window.size()));
}

network::LayerPlace place_of(std::size_t number, const WrittenLayer& layer, const Shape& input) {
  return {.name = fmt::format("{}-{}", layer.kind, number), .input = input, .number = number};
}

network::LayerDescription dense_wiring(std::size_t number, const WrittenLayer& layer, const Shape& input) {
  units_of(number, layer);
  return network::boolean_dense(place_of(number, layer, input).name, input.size(), layer.wires, {}).wiring;
}

network::LayerDescription tree_wiring(std::size_t number, const WrittenLayer& layer, const Shape& input) {
  network::LayerDescription wiring;
  const network::LayerPlace place = place_of(number, layer, input);
  wiring.name = place.name;
  wiring.kind = layer.kind;
  wiring.input = input;
  wiring.output.channels = units_of(number, layer);
  wiring.is_convolution = true;
  wiring.taps = layer.leaves;
  wiring.gates = layer.leaves - 1;
  wiring.operands = network::tree_operands(static_cast<std::size_t>(std::countr_zero(layer.leaves)));
  if (layer.window == 0 || layer.window > 15 || layer.stride == 0 || layer.stride > 16 || layer.padding > 15 ||
      layer.pool == 0 || layer.pool > 2)
    refuse(number, layer, "window is 1 to 15, stride 1 to 16, padding at most 15 and pool 1 or 2");
  network::place_window(place, layer.window, layer.padding, layer.stride, layer.pool, wiring);
  wiring.tap_channel = layer.wires;
  if (wiring.window.size() > 1) {
    check_count(number, layer, "places", layer.places.size(), layer.wires.size());
    wiring.tap_place = layer.places;
  }
  return wiring;
}

network::LayerDescription pool_wiring(std::size_t number, const WrittenLayer& layer, const Shape& input) {
  network::LayerDescription wiring =
      network::build_layers({{layer.kind, {}}}, place_of(number, layer, input), network::standard_layer_kinds())
          .front();
  wiring.name = place_of(number, layer, input).name;
  return wiring;
}

network::LayerDescription wiring_of(std::size_t number, const WrittenLayer& layer, const Shape& input) {
  if (layer.kind == "dense") return dense_wiring(number, layer, input);
  if (layer.kind == "tree-conv") return tree_wiring(number, layer, input);
  if (layer.kind == "or-pool") return pool_wiring(number, layer, input);
  refuse(number, layer, "there is no such kind; choose dense, tree-conv or or-pool");
}

encode::Encoder encoder_of(const WrittenNetwork& written) {
  const std::size_t rows = written.threshold_rows;
  if (rows == 0 || written.thresholds.empty() || written.thresholds.size() % rows != 0)
    throw Error(fmt::format("{} thresholds are not {} rows of equal length", written.thresholds.size(), rows));
  encode::EncoderParts parts{.encoding = "distributive",
                             .values = written.takes_floats ? "reals" : "bytes",
                             .input_shape = written.shape,
                             .thresholds = Matrix<float>(rows, written.thresholds.size() / rows)};
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(written.thresholds.data() + r * parts.thresholds.cols(), parts.thresholds.cols(),
                parts.thresholds.row(r));
  return encode::Encoder::from_parts(std::move(parts));
}

// Sizes that no arithmetic below could overflow.
void check_sizes(const WrittenNetwork& written) {
  const Shape& shape = written.shape;
  if (!is_small(shape))
    throw Error(fmt::format("samples of shape {}x{}x{} are not possible; check the shape", shape.channels, shape.height,
                            shape.width));
  if (written.layers.empty()) throw Error("a network needs at least one layer");
  if (!(written.tau > 0)) throw Error(fmt::format("tau is {}; it must be above 0", written.tau));
  if (written.classes < 2) throw Error(fmt::format("{} classes are too few; there must be two", written.classes));
  if (!written.class_names.empty() && written.class_names.size() != written.classes)
    throw Error(fmt::format("there are {} class names for {} classes", written.class_names.size(), written.classes));
}

// The layers, each on the output of the one before, checked.
std::vector<network::LayerDescription> wirings_of(const WrittenNetwork& written, Shape shape) {
  std::vector<network::LayerDescription> wirings;
  for (std::size_t i = 0; i < written.layers.size(); ++i) {
    wirings.push_back(wiring_of(i + 1, written.layers[i], shape));
    if (wirings[i].gates > 0) check_arrays(i + 1, written.layers[i], wirings[i]);
    shape = wirings[i].output;
  }
  return wirings;
}

network::BooleanNetwork boolean_network(const WrittenNetwork& written, const encode::Encoder& encoder) {
  network::BooleanNetwork result;
  result.input = encoder.output_shape();
  for (network::LayerDescription& wiring : wirings_of(written, result.input)) {
    const WrittenLayer& layer = written.layers[result.layers.size()];
    if (!layer.logits.empty()) refuse(result.layers.size() + 1, layer, "a circuit needs gates, not logits");
    network::BooleanLayer& added = result.layers.emplace_back(network::BooleanLayer{std::move(wiring), {}});
    for (const std::uint8_t gate : layer.gates) added.gates.push_back(static_cast<logic::Gate>(gate));
  }
  result.head = network::describe_head(result.outputs(), written.classes, written.tau);
  network::check_network(result, "the network");
  return result;
}

// The settings of a model with these layers, whose wiring is replaced afterwards.
network::ListedLayer listed(std::size_t number, const WrittenLayer& layer) {
  if (layer.kind == "or-pool") return {layer.kind, {}};
  const auto whole = [](std::size_t value) { return Value(static_cast<std::int64_t>(value)); };
  if (layer.kind == "dense") return {layer.kind, {{"outputs", whole(units_of(number, layer))}}};
  return {layer.kind,
          {{"filters", whole(units_of(number, layer))},
           {"depth", whole(static_cast<std::size_t>(std::countr_zero(layer.leaves)))},
           {"window", whole(layer.window)},
           {"padding", whole(layer.padding)},
           {"stride", whole(layer.stride)},
           {"pool", whole(layer.pool)},
           {"channels", Value(std::string("all"))}}};
}

void fill_neurons(const WrittenLayer& layer, model::Neurons& neurons) {
  for (std::size_t n = 0; n < neurons.count(); ++n) {
    float* logits = neurons.logits.row(n);
    if (layer.logits.empty()) {
      std::fill_n(logits, logic::kSlots, 0.f);
      neurons.frozen[n] = static_cast<std::int8_t>(layer.gates[n]);
    } else {
      std::copy_n(layer.logits.data() + n * logic::kSlots, logic::kSlots, logits);
    }
  }
}

}  // namespace

std::vector<LayerView> layers_of(const Network& network) {
  const model::Model& model = *network.inner().model;
  std::vector<LayerView> views;
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    const model::Neurons& neurons = *std::as_const(model).neurons()[g];
    const network::LayerDescription& wiring = model.wiring(g);
    FIRN_CHECK(neurons.logits.stride() == logic::kSlots);
    LayerView view{.name = neurons.name,
                   .kind = wiring.kind,
                   .input = wiring.input,
                   .output = wiring.output,
                   .units = wiring.units(),
                   .taps = wiring.taps,
                   .unit_gates = wiring.gates,
                   .wires = wiring.tap_channel,
                   .places = wiring.tap_place,
                   .logits = {neurons.logits.data(), neurons.count() * logic::kSlots},
                   .frozen = neurons.frozen,
                   .gates = neurons.chosen_slots()};
    for (std::size_t n = 0; n < view.gates.size(); ++n)
      view.gates[n] = static_cast<std::uint8_t>(neurons.gate(n, view.gates[n]));
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<LayerSummary> summarize_layers(const Circuit& circuit) {
  const infer::CircuitModel& model = circuit.inner().model;
  std::vector<LayerSummary> layers;
  for (const network::BooleanLayer& layer : model.network.layers)
    layers.push_back(
        {layer.wiring.name, layer.wiring.kind, layer.wiring.input, layer.wiring.output, layer.gates.size(), 0});
  if (model.netlist)
    for (const circuit::NetGate& gate : model.netlist->gates) ++layers[gate.layer].gates;
  return layers;
}

Circuit circuit_from(const WrittenNetwork& written) {
  check_sizes(written);
  encode::Encoder encoder = encoder_of(written);
  network::BooleanNetwork network = boolean_network(written, encoder);
  infer::CircuitModel model{"", written.class_names, std::move(encoder), std::move(network), std::nullopt};
  return Circuit(door::make_circuit(study::compile_model(std::move(model), {}).model));
}

Network network_from(const WrittenNetwork& written) {
  check_sizes(written);
  encode::Encoder encoder = encoder_of(written);
  const std::vector<network::LayerDescription> wirings = wirings_of(written, encoder.output_shape());
  study::Config config;
  config.data.source = "memory";
  config.encode = {.encoding = "distributive", .thresholds = written.threshold_rows};
  config.model.family = "list";
  config.model.tau = written.tau;
  for (std::size_t i = 0; i < written.layers.size(); ++i)
    config.model.layer.push_back(listed(i + 1, written.layers[i]));
  auto model =
      model::build_model(config.model, encoder.output_shape(), written.classes, config.seed, config.parts->layer_kinds);
  for (std::size_t i = 0, group = 0; i < written.layers.size(); ++i) {
    if (wirings[i].gates == 0) continue;
    model->wiring(group).tap_channel = wirings[i].tap_channel;
    model->wiring(group).tap_place = wirings[i].tap_place;
    fill_neurons(written.layers[i], *model->neurons()[group++]);
  }
  model->rewire();
  return Network(std::shared_ptr<const Network::Inner>(
      new Network::Inner{Config(std::move(config)), std::move(encoder), std::move(model), 0, written.class_names}));
}

}  // namespace firn::api
