#include "firn/study/circuit_source.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/safetensors.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/data/stored_schema.h"
#include "firn/exchange/format.h"
#include "firn/study/session.h"
#include "firn/train/loss.h"

namespace firn::study {

CircuitModel harden_model(const Model& model, const Config& config, Encoder encoder,
                          std::vector<std::string> class_names, std::optional<Schema> schema) {
  if (model.head().factor <= 0)
    throw Error("the class sums of this network do not grow with counts, so a circuit cannot decide by them");
  if (schema)
    check_schema(*schema,
                 {.features = encoder.input_shape().size(),
                  .reals = encoder.parts().values == "reals",
                  .predicts_values = model.head().is_value},
                 "the network");
  BooleanNetwork network = model.harden();
  if (!network.head.is_value) network.head.threshold = loss_from_name(config.train.loss).threshold;
  return {to_toml(config), std::move(class_names), std::move(encoder), std::move(network), {}, std::move(schema)};
}

CircuitModel harden_checkpoint(const Checkpoint& checkpoint, const Parts& parts) {
  RebuiltModel rebuilt = rebuild_model(checkpoint, parts);
  CircuitModel model = harden_model(*rebuilt.model, rebuilt.config, std::move(rebuilt.encoder),
                                    checkpoint.header().class_names, checkpoint.header().schema);
  model.config = checkpoint.header().config;
  model.data = checkpoint.header().data;
  return model;
}

Netlist netlist_of(const CircuitModel& model) {
  return model.netlist ? *model.netlist : lower(model.network);
}

Netlist simplified_netlist_of(const CircuitModel& model) {
  Netlist netlist = netlist_of(model);
  simplify(netlist);
  return netlist;
}

CircuitSource load_circuit(const std::string& file, const Parts& parts) {
  if (const FormatEntry* format = format_of_file(file))
    return {file, std::nullopt, format->read(read_text(file), file)};
  SafetensorsFile tensors = SafetensorsFile::read(file);
  if (!Checkpoint::recognizes(tensors)) return {file, parse_model(tensors), std::nullopt};
  return {file, harden_checkpoint(Checkpoint::parse(std::move(tensors)), parts), std::nullopt};
}

}  // namespace firn::study
