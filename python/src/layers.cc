// Networks from elsewhere: dictionaries of arrays on their way to the front door.
#include <pybind11/stl.h>

#include <algorithm>

#include "arrays.h"

namespace firn::python {

namespace {

constexpr std::size_t kMostWires = 0xffffffff;

void check_keys(const py::dict& layer, std::initializer_list<const char*> known, const std::string& kind) {
  for (const auto& [key, value] : layer) {
    const std::string name = py::str(key);
    if (std::none_of(known.begin(), known.end(), [&](const char* k) { return name == k; })) {
      std::string names;
      for (const char* k : known) names += (names.empty() ? "" : ", ") + std::string(k);
      throw Error("a layer of the kind " + kind + " has no key \"" + name + "\"; its keys are " + names);
    }
  }
}

py::object required(const py::dict& layer, const char* key, const std::string& kind) {
  if (!layer.contains(key)) throw Error("a layer of the kind " + kind + " needs \"" + key + "\"");
  return layer[key];
}

std::vector<std::uint8_t> small_numbers(const py::object& array, const char* name) {
  const std::vector<std::uint32_t> numbers = whole_numbers(array, name, 255);
  return {numbers.begin(), numbers.end()};
}

void read_neurons(const py::dict& layer, const std::string& kind, WrittenLayer& written) {
  if (layer.contains("logits"))
    written.logits = real_numbers(layer["logits"], "logits");
  else
    written.gates = small_numbers(required(layer, "gates", kind), "gates");
}

WrittenLayer written_layer(const py::dict& layer) {
  if (!layer.contains("kind")) throw Error("a layer needs a \"kind\": dense, tree-conv or or-pool");
  WrittenLayer written;
  written.kind = py::cast<std::string>(layer["kind"]);
  const std::string& kind = written.kind;
  const auto number = [&](const char* key, std::size_t otherwise) {
    return layer.contains(key) ? py::cast<std::size_t>(layer[key]) : otherwise;
  };
  if (kind == "dense") {
    check_keys(layer, {"kind", "wires", "gates", "logits"}, kind);
    written.wires = whole_numbers(required(layer, "wires", kind), "wires", kMostWires);
    read_neurons(layer, kind, written);
  } else if (kind == "tree-conv") {
    check_keys(layer, {"kind", "channels", "places", "gates", "logits", "window", "padding", "stride", "pool"}, kind);
    const py::object channels = required(layer, "channels", kind);
    written.wires = whole_numbers(channels, "channels", kMostWires);
    if (py::reinterpret_borrow<py::array>(channels).ndim() != 2)
      throw_shape_error("channels must be [filters][leaves]");
    written.leaves = static_cast<std::size_t>(py::reinterpret_borrow<py::array>(channels).shape(1));
    if (layer.contains("places")) written.places = small_numbers(layer["places"], "places");
    read_neurons(layer, kind, written);
    written.window = number("window", 3);
    written.padding = number("padding", 0);
    written.stride = number("stride", 1);
    written.pool = number("pool", 1);
  } else {
    check_keys(layer, {"kind"}, kind);
  }
  return written;
}

}  // namespace

WrittenNetwork written_network(const py::list& layers, const py::object& shape, const py::object& thresholds,
                               std::size_t classes, const std::string& dtype, double tau,
                               std::vector<std::string> class_names) {
  if (dtype != "uint8" && dtype != "float32")
    throw Error("dtype is what samples are made of: \"uint8\" or \"float32\"");
  WrittenNetwork written;
  written.shape = shape_of(shape);
  written.takes_floats = dtype == "float32";
  written.thresholds = real_numbers(thresholds, "thresholds");
  const auto axes = py::reinterpret_borrow<py::array>(thresholds);
  if (axes.ndim() != 1 && axes.ndim() != 2)
    throw_shape_error("thresholds must be [thresholds] or [thresholds][1, channels or features]");
  written.threshold_rows = static_cast<std::size_t>(axes.shape(0));
  for (const auto& layer : layers) {
    if (!py::isinstance<py::dict>(layer)) throw py::type_error("each layer must be a dictionary with a \"kind\"");
    written.layers.push_back(written_layer(py::reinterpret_borrow<py::dict>(layer)));
  }
  written.classes = classes;
  written.tau = tau;
  written.class_names = std::move(class_names);
  return written;
}

}  // namespace firn::python
