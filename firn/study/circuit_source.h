// A circuit as users name it: a checkpoint, a compiled model, or a file of another tool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/exchange/blueprint.h"
#include "firn/infer/model_file.h"
#include "firn/study/config.h"
#include "firn/study/parts.h"
#include "firn/train/checkpoint.h"

namespace firn::study {

// The discrete network of a model, without a netlist.
CircuitModel harden_model(const Model& model, const Config& config, Encoder encoder,
                          std::vector<std::string> class_names, std::optional<Schema> schema);
// The same of a checkpoint, without its data.
CircuitModel harden_checkpoint(const Checkpoint& checkpoint, const Parts& parts = standard_parts());

// The netlist of a model; every gate of its layers where none is stored, as in checkpoints.
Netlist netlist_of(const CircuitModel& model);
Netlist simplified_netlist_of(const CircuitModel& model);

struct CircuitSource {
  std::string file;
  std::optional<CircuitModel> model;     // of checkpoints and compiled models
  std::optional<ParsedCircuit> circuit;  // of other files
};
CircuitSource load_circuit(const std::string& file, const Parts& parts = standard_parts());

}  // namespace firn::study
