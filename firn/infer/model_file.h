// The file that ships: encoder, layers, circuit and head of a discrete network, complete in itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/safetensors.h"
#include "firn/circuit/netlist.h"
#include "firn/data/fingerprint.h"
#include "firn/data/schema.h"
#include "firn/encode/encoder.h"
#include "firn/network/boolean_network.h"

namespace firn::infer {

struct CircuitModel {
  std::string config;                    // the configuration it was trained by, as text; may be empty
  std::vector<std::string> class_names;  // may be empty
  Encoder encoder;
  BooleanNetwork network;
  std::optional<Netlist> netlist;     // the network lowered and simplified; nothing where it was too large to unroll
  std::optional<Schema> schema = {};  // where the features have names: how a table becomes samples
  std::optional<Fingerprints> data = {};  // of what it was trained on; files of earlier versions do not say

  // Classes that a prediction can name.
  std::size_t classes() const { return network.head.classes(); }
};

// One safetensors file: metadata "format", "config", "classes", "encoder", "layers", with named features "schema"
// (JSON), and "data.*" where it is known, tensors "encoder.*", "head", "layer.N.*" and, with a circuit, "netlist.*".
// docs/circuits.md describes it.
void write_model(const std::filesystem::path& path, const CircuitModel& model);
std::vector<std::byte> model_bytes(const CircuitModel& model);  // of the file

// Refuses, in a sentence that names the part, whatever is damaged, cyclic, impossibly large or no model.
CircuitModel read_model(const std::filesystem::path& path);
CircuitModel parse_model(const SafetensorsFile& file);

}  // namespace firn::infer
