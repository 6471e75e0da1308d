#include "firn/circuit/model_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/error.h"

namespace firn {

namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "firn model 1";
constexpr std::size_t kMaxNumber = std::size_t{1} << 32;  // that metadata may hold

Json to_json(const Shape& shape) {
  return {shape.channels, shape.height, shape.width};
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

Json parse_json(const SafetensorsFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  const auto limit = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > 8) throw Error(fmt::format("{}: metadata '{}' nests too deeply", file.source(), key));
    return true;
  };
  Json value = Json::parse(text, limit, /*allow_exceptions=*/false);
  if (value.is_discarded())
    throw Error(fmt::format("{}: metadata '{}' is not JSON; the file is damaged", file.source(), key));
  return value;
}

// Layers are described as JSON and their arrays stored as tensors "layer.N.NAME". One function visits them for writing
// and one for reading, layer kind by layer kind.
struct LayerWriter {
  SafetensorsWriter& writer;
  std::string prefix;

  Json operator()(const BooleanConv& conv) const {
    const std::size_t leaves = std::size_t{1} << conv.depth, kernels = conv.out.channels;
    writer.add<std::uint32_t>(prefix + "leaf_channel", {kernels, leaves}, conv.leaf_channel);
    writer.add<std::uint8_t>(prefix + "leaf_place", {kernels, leaves}, conv.leaf_place);
    writer.add<std::uint8_t>(prefix + "gates", {kernels, leaves - 1}, as_numbers(conv.gates));
    return {{"kind", "conv"},    {"in", to_json(conv.in)},  {"out", to_json(conv.out)}, {"depth", conv.depth},
            {"side", conv.side}, {"padding", conv.padding}, {"stride", conv.stride},    {"pool", conv.pool}};
  }
  Json operator()(const BooleanDense& dense) const {
    writer.add<std::uint32_t>(prefix + "wires", {dense.gates.size(), 2}, dense.wires);
    writer.add<std::uint8_t>(prefix + "gates", {dense.gates.size()}, as_numbers(dense.gates));
    return {{"kind", "dense"}, {"inputs", dense.inputs}, {"outputs", dense.gates.size()}};
  }
  Json operator()(const BooleanPool& pool) const {
    return {{"kind", "pool"}, {"in", to_json(pool.in)}, {"out", to_json(pool.out)}};
  }
};

BooleanLayer read_layer(const SafetensorsFile& file, const Fields& fields, const std::string& prefix) {
  const std::string kind = fields.text("kind");
  if (kind == "pool") return BooleanPool{fields.shape("in"), fields.shape("out")};
  if (kind == "dense") {
    BooleanDense dense;
    const std::size_t outputs = fields.number("outputs");
    dense.inputs = fields.number("inputs");
    dense.wires = file.tensor<std::uint32_t>(prefix + "wires", {outputs, 2});
    dense.gates = as_gates(file.tensor<std::uint8_t>(prefix + "gates", {outputs}));
    return dense;
  }
  if (kind != "conv")
    throw Error(
        fmt::format("{}: a layer is of the kind \"{}\", which this version does not know", file.source(), kind));
  BooleanConv conv;
  conv.in = fields.shape("in");
  conv.out = fields.shape("out");
  conv.depth = fields.number("depth");
  conv.side = fields.number("side");
  conv.padding = fields.number("padding");
  conv.stride = fields.number("stride");
  conv.pool = fields.number("pool");
  if (conv.depth > 16) throw Error(fmt::format("{}: a tree of depth {} is too deep", file.source(), conv.depth));
  const std::size_t leaves = std::size_t{1} << conv.depth, kernels = conv.out.channels;
  conv.leaf_channel = file.tensor<std::uint32_t>(prefix + "leaf_channel", {kernels, leaves});
  conv.leaf_place = file.tensor<std::uint8_t>(prefix + "leaf_place", {kernels, leaves});
  conv.gates = as_gates(file.tensor<std::uint8_t>(prefix + "gates", {kernels, leaves - 1}));
  return conv;
}

BooleanNetwork read_network(const SafetensorsFile& file, const Shape& input) {
  BooleanNetwork network;
  network.input = input;
  const Json classes = parse_json(file, "classes"), layers = parse_json(file, "layers");
  network.classes = Fields(classes, file.source() + ": metadata 'classes'").number("groups");
  if (!layers.is_array()) throw Error(fmt::format("{}: metadata 'layers' is not a list", file.source()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Fields fields(layers[i], fmt::format("{}: layer {}", file.source(), i));
    network.names.push_back(fields.text("name"));
    network.layers.push_back(read_layer(file, fields, fmt::format("layer.{}.", i)));
  }
  check_network(network, file.source());
  return network;
}

Encoder read_encoder(const SafetensorsFile& file) {
  const Json description = parse_json(file, "encoder");
  const Fields fields(description, file.source() + ": metadata 'encoder'");
  EncoderParts parts{fields.text("encoding"), fields.text("values"), fields.shape("shape"), {}};
  const Tensor& thresholds = file.tensor("encoder.thresholds");
  const Shape& shape = parts.input_shape;
  if (thresholds.shape.size() != 2)
    throw Error(fmt::format("{}: encoder.thresholds has not two dimensions; the file is damaged", file.source()));
  std::size_t bits = thresholds.shape[0];
  for (const std::size_t side : {shape.channels, shape.height, shape.width})
    if (__builtin_mul_overflow(bits, side, &bits) || bits > kMaxFeatures)
      throw Error(
          fmt::format("{}: the encoder claims more than {} bits; the file is damaged", file.source(), kMaxFeatures));
  parts.thresholds = Matrix<float>(thresholds.shape[0], thresholds.shape[1]);
  file.read_into("encoder.thresholds", parts.thresholds);
  return Encoder::from_parts(std::move(parts));
}

Head read_head(const SafetensorsFile& file) {
  const auto values = file.tensor<float>("head", {3});
  const Head head{values[0], values[1], values[2]};
  if (!std::isfinite(head.offset) || !std::isfinite(head.threshold) || !std::isfinite(head.factor) || head.factor <= 0)
    throw Error(fmt::format("{}: its head is not a positive factor, an offset and a threshold", file.source()));
  return head;
}

std::vector<std::string> read_class_names(const SafetensorsFile& file, std::size_t classes) {
  const Json description = parse_json(file, "classes");
  std::vector<std::string> names;
  for (const Json& name : description.value("names", Json::array())) {
    if (!name.is_string()) throw Error(fmt::format("{}: a class name is not a text", file.source()));
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
  const std::size_t output_count = output_shape(network.layers.back()).size();
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

void write_model(const std::filesystem::path& path, const CircuitModel& model) {
  check_network(model.network, "the network");
  SafetensorsWriter writer;
  const EncoderParts& encoder = model.encoder.parts();
  writer.set_metadata("format", kFormat);
  writer.set_metadata("config", model.config);
  writer.set_metadata("classes", Json{{"groups", model.network.classes}, {"names", model.class_names}}.dump());
  writer.set_metadata(
      "encoder",
      Json{{"encoding", encoder.encoding}, {"values", encoder.values}, {"shape", to_json(encoder.input_shape)}}.dump());
  writer.add("encoder.thresholds", encoder.thresholds);
  const float head[] = {model.head.factor, model.head.offset, model.head.threshold};
  writer.add<float>("head", {3}, head);
  Json layers = Json::array();
  for (std::size_t i = 0; i < model.network.layers.size(); ++i) {
    layers.push_back(std::visit(LayerWriter{writer, fmt::format("layer.{}.", i)}, model.network.layers[i]));
    layers.back()["name"] = model.network.names[i];
  }
  writer.set_metadata("layers", layers.dump());
  std::optional<NetlistArrays> arrays;
  if (model.netlist) arrays.emplace(*model.netlist).add_to(writer);
  writer.write(path);
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
  CircuitModel model{file.metadata("config"), {}, std::move(encoder), read_head(file), std::move(network),
                     std::move(netlist)};
  model.class_names = read_class_names(file, model.classes());
  return model;
}

}  // namespace firn
