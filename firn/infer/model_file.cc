#include "firn/infer/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"
#include "firn/data/stored_schema.h"
#include "firn/kernels/tree.h"

namespace firn::infer {

namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "firn model 1";
constexpr std::size_t kMaxNumber = std::size_t{1} << 32;  // that metadata may hold

Json to_json(const Shape& shape) {
  return {shape.channels, shape.height, shape.width};
}

Json to_json(const Extent& extent) {
  return {extent.height, extent.width};
}

std::span<const std::uint8_t> as_numbers(const std::vector<Gate>& gates) {
  return {reinterpret_cast<const std::uint8_t*>(gates.data()), gates.size()};  // Gate is an enum of that type
}

std::vector<Gate> as_gates(const std::vector<std::uint8_t>& numbers) {
  std::vector<Gate> gates;
  gates.reserve(numbers.size());
  for (std::uint8_t number : numbers) gates.push_back(static_cast<Gate>(number));
  return gates;
}

// A JSON object of the metadata that is read key by key; complaints name the file, the object and the key.
class Fields {
 public:
  Fields(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) throw Error(fmt::format("{} is not a JSON object; the file is damaged", what_));
  }
  std::size_t number(const char* key) const { return number(at(key), key); }
  std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(key);
    return at(key).get<std::string>();
  }
  Shape shape(const char* key) const {
    const Json& list = at(key);
    if (!list.is_array() || list.size() != 3) refuse(key);
    return {number(list[0], key), number(list[1], key), number(list[2], key)};
  }
  Extent extent(const char* key) const {
    const Json& list = at(key);
    if (!list.is_array() || list.size() != 2) refuse(key);
    return {number(list[0], key), number(list[1], key)};
  }

 private:
  const Json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(key);
    return *found;
  }
  std::size_t number(const Json& value, const char* key) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= kMaxNumber) refuse(key);
    return value.get<std::size_t>();
  }
  [[noreturn]] void refuse(const char* key) const {
    throw Error(fmt::format("{} has no sound \"{}\"; the file is damaged", what_, key));
  }

  const Json& object_;
  std::string what_;
};

Json parse_metadata(const SafetensorsFile& file, const std::string& key) {
  Json value = parse_json(file.metadata(key));
  if (value.is_discarded())
    throw Error(fmt::format("{}: metadata '{}' is not JSON; the file is damaged", file.source(), key));
  return value;
}

// Layers are described as JSON and their arrays stored as tensors "layer.N.NAME". Trees, dense layers and pools have
// short descriptions; any other layer is written down in full.
class LayerWriter {
 public:
  // `zeros` lives until the file is written.
  LayerWriter(SafetensorsWriter& writer, std::string prefix, std::vector<std::uint8_t>& zeros)
      : writer_(writer), prefix_(std::move(prefix)), zeros_(zeros) {}

  Json write(const BooleanLayer& layer) const {
    const LayerDescription& wiring = layer.wiring;
    const bool is_square = wiring.window.height == wiring.window.width && wiring.pool.height == wiring.pool.width &&
                           wiring.padding.height == wiring.padding.width;
    const std::size_t depth = tree_depth(wiring);
    if (depth == 1 && is_placed_once(wiring)) return write_dense(layer);
    if (is_pool(wiring)) return {{"kind", "pool"}, {"in", to_json(wiring.input)}, {"out", to_json(wiring.output)}};
    if (depth >= 1 && is_square) return write_conv(layer, depth);
    return write_units(layer);
  }

 private:
  Json write_dense(const BooleanLayer& layer) const {
    writer_.add<std::uint32_t>(prefix_ + "wires", {layer.gates.size(), 2}, layer.wiring.tap_channel);
    writer_.add<std::uint8_t>(prefix_ + "gates", {layer.gates.size()}, as_numbers(layer.gates));
    return {{"kind", "dense"}, {"inputs", layer.wiring.input.size()}, {"outputs", layer.gates.size()}};
  }

  Json write_conv(const BooleanLayer& layer, std::size_t depth) const {
    const LayerDescription& wiring = layer.wiring;
    add_taps(wiring, "leaf_channel", "leaf_place");
    writer_.add<std::uint8_t>(prefix_ + "gates", {wiring.units(), wiring.gates}, as_numbers(layer.gates));
    return {{"kind", "conv"},          {"in", to_json(wiring.input)}, {"out", to_json(wiring.output)},
            {"depth", depth},          {"side", wiring.window.width}, {"padding", wiring.padding.width},
            {"stride", wiring.stride}, {"pool", wiring.pool.width}};
  }

  Json write_units(const BooleanLayer& layer) const {
    const LayerDescription& wiring = layer.wiring;
    add_taps(wiring, "tap_channel", "tap_place");
    writer_.add<std::uint8_t>(prefix_ + "gates", {wiring.units(), wiring.gates}, as_numbers(layer.gates));
    writer_.add<std::uint8_t>(prefix_ + "operands", {wiring.gates, 2}, wiring.operands);
    return {{"kind", "units"},
            {"in", to_json(wiring.input)},
            {"out", to_json(wiring.output)},
            {"taps", wiring.taps},
            {"gates", wiring.gates},
            {"window", to_json(wiring.window)},
            {"padding", to_json(wiring.padding)},
            {"stride", wiring.stride},
            {"pool", to_json(wiring.pool)}};
  }

  void add_taps(const LayerDescription& wiring, const char* channels, const char* places) const {
    const Dimensions shape = {wiring.units(), wiring.taps};
    writer_.add<std::uint32_t>(prefix_ + channels, shape, wiring.tap_channel);
    // A window of one place needs no array of places, but files have one.
    if (wiring.tap_place.empty()) zeros_.assign(wiring.tap_channel.size(), 0);
    writer_.add<std::uint8_t>(prefix_ + places, shape, wiring.tap_place.empty() ? zeros_ : wiring.tap_place);
  }

  SafetensorsWriter& writer_;
  std::string prefix_;
  std::vector<std::uint8_t>& zeros_;
};

class LayerReader {
 public:
  LayerReader(const SafetensorsFile& file, const Fields& fields, std::string prefix)
      : file_(file), fields_(fields), prefix_(std::move(prefix)) {}

  BooleanLayer read() const {
    const std::string kind = fields_.text("kind");
    if (kind == "dense") return read_dense();
    LayerDescription wiring;
    wiring.input = fields_.shape("in");
    wiring.output = fields_.shape("out");
    wiring.kind = kind == "conv" ? "tree-conv" : kind == "pool" ? "or-pool" : "units";
    if (kind == "pool") return read_pool(std::move(wiring));
    if (kind == "conv") return read_conv(std::move(wiring));
    if (kind == "units") return read_units(std::move(wiring));
    throw Error(
        fmt::format("{}: a layer is of the kind \"{}\", which this version does not know", file_.source(), kind));
  }

 private:
  BooleanLayer read_dense() const {
    const std::size_t outputs = fields_.number("outputs");
    return boolean_dense("", fields_.number("inputs"), file_.tensor<std::uint32_t>(prefix_ + "wires", {outputs, 2}),
                         as_gates(file_.tensor<std::uint8_t>(prefix_ + "gates", {outputs})));
  }

  static BooleanLayer read_pool(LayerDescription wiring) {
    wiring.taps = 1;
    wiring.gates = 0;
    wiring.operands.clear();
    wiring.pool = {2, 2};
    for (std::uint32_t c = 0; c < wiring.input.channels && c < kMaxFeatures; ++c) wiring.tap_channel.push_back(c);
    return {std::move(wiring), {}};
  }

  BooleanLayer read_conv(LayerDescription wiring) const {
    const std::size_t depth = fields_.number("depth"), side = fields_.number("side");
    if (depth < 1 || depth > kMaxTreeDepth)
      throw Error(fmt::format("{}: a tree of depth {} is not supported", file_.source(), depth));
    wiring.window = {side, side};
    wiring.padding = {fields_.number("padding"), fields_.number("padding")};
    wiring.stride = fields_.number("stride");
    wiring.pool = {fields_.number("pool"), fields_.number("pool")};
    wiring.taps = std::size_t{1} << depth;
    wiring.gates = wiring.taps - 1;
    wiring.operands = tree_operands(depth);
    wiring.is_convolution = true;
    return read_arrays(std::move(wiring), "leaf_channel", "leaf_place");
  }

  BooleanLayer read_units(LayerDescription wiring) const {
    wiring.taps = fields_.number("taps");
    wiring.gates = fields_.number("gates");
    wiring.window = fields_.extent("window");
    wiring.padding = fields_.extent("padding");
    wiring.stride = fields_.number("stride");
    wiring.pool = fields_.extent("pool");
    wiring.operands = file_.tensor<std::uint8_t>(prefix_ + "operands", {wiring.gates, 2});
    return read_arrays(std::move(wiring), "tap_channel", "tap_place");
  }

  BooleanLayer read_arrays(LayerDescription wiring, const char* channels, const char* places) const {
    const Dimensions shape = {wiring.units(), wiring.taps};
    wiring.tap_channel = file_.tensor<std::uint32_t>(prefix_ + channels, shape);
    wiring.tap_place = file_.tensor<std::uint8_t>(prefix_ + places, shape);
    if (wiring.window.size() == 1 && std::ranges::all_of(wiring.tap_place, [](int place) { return place == 0; }))
      wiring.tap_place.clear();
    auto gates = as_gates(file_.tensor<std::uint8_t>(prefix_ + "gates", {wiring.units(), wiring.gates}));
    return {std::move(wiring), std::move(gates)};
  }

  const SafetensorsFile& file_;
  const Fields& fields_;
  std::string prefix_;
};

Head read_head(const SafetensorsFile& file, std::size_t groups) {
  const auto values = file.tensor<float>("head", {3});
  const Head head{groups, values[0], values[1], values[2]};
  if (!std::isfinite(head.offset) || !std::isfinite(head.threshold) || !std::isfinite(head.factor) || head.factor <= 0)
    throw Error(fmt::format("{}: its head is not a positive factor, an offset and a threshold", file.source()));
  return head;
}

BooleanNetwork read_network(const SafetensorsFile& file, const Shape& input) {
  BooleanNetwork network;
  network.input = input;
  const Json classes = parse_metadata(file, "classes"), layers = parse_metadata(file, "layers");
  network.head = read_head(file, Fields(classes, file.source() + ": metadata 'classes'").number("groups"));
  network.head.is_value = classes.contains("value") && network.head.groups == 1;
  if (!layers.is_array()) throw Error(fmt::format("{}: metadata 'layers' is not a list", file.source()));
  Shape below = input;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Fields fields(layers[i], fmt::format("{}: layer {}", file.source(), i));
    BooleanLayer& layer = network.layers.emplace_back(LayerReader(file, fields, fmt::format("layer.{}.", i)).read());
    layer.wiring.name = fields.text("name");
    check_layer(layer, below, file.source());  // a pool takes memory that its file need not have
    below = layer.wiring.output;
  }
  check_network(network, file.source());
  return network;
}

Encoder read_encoder(const SafetensorsFile& file) {
  const Json description = parse_metadata(file, "encoder");
  const Fields fields(description, file.source() + ": metadata 'encoder'");
  EncoderParts parts{fields.text("encoding"), fields.text("values"), fields.shape("shape"), {}};
  const Tensor& thresholds = file.tensor("encoder.thresholds");
  if (thresholds.shape.size() != 2)
    throw Error(fmt::format("{}: encoder.thresholds must be two-dimensional; the file is damaged", file.source()));
  parts.thresholds = Matrix<float>(thresholds.shape[0], thresholds.shape[1]);
  file.read_into("encoder.thresholds", parts.thresholds);
  try {
    return Encoder::from_parts(std::move(parts));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.source(), error.what()));
  }
}

std::vector<std::string> read_class_names(const SafetensorsFile& file, std::size_t classes) {
  const Json description = parse_metadata(file, "classes");
  std::vector<std::string> names;
  for (const Json& name : description.value("names", Json::array())) {
    if (!name.is_string()) throw Error(fmt::format("{}: a class name must be a string", file.source()));
    names.push_back(name.get<std::string>());
  }
  if (!names.empty() && names.size() != classes)
    throw Error(fmt::format("{} has {} names for {} classes", file.source(), names.size(), classes));
  return names;
}

// The arrays of a netlist as they are stored.
struct NetlistArrays {
  std::vector<std::uint32_t> wires, outputs;  // literals; wires: [gates][2]
  std::vector<std::uint8_t> operations;
  std::vector<std::uint16_t> layers;

  explicit NetlistArrays(const Netlist& netlist) {
    for (const NetGate& gate : netlist.gates) {
      wires.insert(wires.end(), {gate.a.literal(), gate.b.literal()});
      operations.push_back(static_cast<std::uint8_t>(gate.op));
      layers.push_back(gate.layer);
    }
    for (Wire output : netlist.outputs) outputs.push_back(output.literal());
  }

  void add_to(SafetensorsWriter& writer) const {
    writer.add<std::uint32_t>("netlist.wires", {operations.size(), 2}, wires);
    writer.add<std::uint8_t>("netlist.operations", {operations.size()}, operations);
    writer.add<std::uint16_t>("netlist.layers", {operations.size()}, layers);
    writer.add<std::uint32_t>("netlist.outputs", {outputs.size()}, outputs);
  }
};

Netlist read_netlist(const SafetensorsFile& file, const BooleanNetwork& network) {
  const Dimensions& shape = file.tensor("netlist.operations").shape;
  const std::size_t gates = shape.size() == 1 ? shape[0] : 0;
  const std::size_t output_count = network.outputs();
  const auto wires = file.tensor<std::uint32_t>("netlist.wires", {gates, 2});
  const auto operations = file.tensor<std::uint8_t>("netlist.operations", {gates});
  const auto layers = file.tensor<std::uint16_t>("netlist.layers", {gates});
  const auto outputs = file.tensor<std::uint32_t>("netlist.outputs", {output_count});
  Netlist netlist;
  netlist.inputs = network.input.size();
  netlist.gates.reserve(gates);
  for (std::size_t g = 0; g < gates; ++g) {
    if (layers[g] >= network.layers.size())
      throw Error(fmt::format("gate {} of {} belongs to layer {}, but there are {}", g, file.source(), layers[g],
                              network.layers.size()));
    netlist.gates.push_back({Wire::of_literal(wires[2 * g]), Wire::of_literal(wires[2 * g + 1]),
                             static_cast<Gate>(operations[g]), layers[g]});
  }
  for (const std::uint32_t literal : outputs) netlist.outputs.push_back(Wire::of_literal(literal));
  check_netlist(netlist, file.source());
  return netlist;
}

}  // namespace

namespace {

// Collects the parts of a file and hands the writer to `finish` while they live.
template <class Finish>
auto with_writer(const CircuitModel& model, const Finish& finish) {
  check_network(model.network, "the network");
  SafetensorsWriter writer;
  const EncoderParts& encoder = model.encoder.parts();
  writer.set_metadata("format", kFormat);
  writer.set_metadata("config", model.config);
  Json classes = {{"groups", model.network.head.groups}, {"names", model.class_names}};
  if (model.network.head.is_value) classes["value"] = true;
  writer.set_metadata("classes", classes.dump());
  writer.set_metadata(
      "encoder",
      Json{{"encoding", encoder.encoding}, {"values", encoder.values}, {"shape", to_json(encoder.input_shape)}}.dump());
  if (model.schema) writer.set_metadata("schema", to_json(*model.schema));
  if (model.data) {
    writer.set_metadata("data.train", model.data->train);
    writer.set_metadata("data.test", model.data->test);
  }
  writer.add("encoder.thresholds", encoder.thresholds);
  const Head& counted = model.network.head;
  const float head[] = {counted.factor, counted.offset, counted.threshold};
  writer.add<float>("head", {3}, head);
  Json layers = Json::array();
  std::vector<std::vector<std::uint8_t>> zeros(model.network.layers.size());
  for (std::size_t i = 0; i < model.network.layers.size(); ++i) {
    layers.push_back(LayerWriter(writer, fmt::format("layer.{}.", i), zeros[i]).write(model.network.layers[i]));
    layers.back()["name"] = model.network.layers[i].wiring.name;
  }
  writer.set_metadata("layers", layers.dump());
  std::optional<NetlistArrays> arrays;
  if (model.netlist) arrays.emplace(*model.netlist).add_to(writer);
  return finish(writer);
}

}  // namespace

void write_model(const std::filesystem::path& path, const CircuitModel& model) {
  with_writer(model, [&](const SafetensorsWriter& writer) { writer.write(path); });
}

std::vector<std::byte> model_bytes(const CircuitModel& model) {
  return with_writer(model, [](const SafetensorsWriter& writer) { return writer.bytes(); });
}

CircuitModel read_model(const std::filesystem::path& path) {
  return parse_model(SafetensorsFile::read(path));
}

CircuitModel parse_model(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  if (format == file.metadata().end() || format->second != kFormat)
    throw Error(fmt::format("{} is not a compiled model (its format is \"{}\"); make one with `firn compile`",
                            file.source(), format == file.metadata().end() ? "unknown" : format->second));
  Encoder encoder = read_encoder(file);
  BooleanNetwork network = read_network(file, encoder.output_shape());
  std::optional<Netlist> netlist;
  if (file.contains("netlist.operations")) netlist = read_netlist(file, network);
  CircuitModel model{file.metadata("config"), {}, std::move(encoder), std::move(network), std::move(netlist)};
  model.class_names = read_class_names(file, model.classes());
  model.schema = stored_schema(file, {.features = model.encoder.input_shape().size(),
                                      .reals = model.encoder.parts().values == "reals",
                                      .predicts_values = model.network.head.is_value});
  if (file.metadata().contains("data.train")) model.data = {file.metadata("data.train"), file.metadata("data.test")};
  return model;
}

}  // namespace firn::infer
