#include "firn/study/circuit_source.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/safetensors.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "firn/study/session.h"
#include "firn/train/loss.h"

namespace firn {

CircuitModel harden_checkpoint(const Checkpoint& checkpoint, const Parts& parts) {
  RebuiltModel rebuilt = rebuild_model(checkpoint, parts);
  const Model& model = *rebuilt.model;
  if (model.head().factor <= 0)
    throw Error(
        fmt::format("{}: the class sums of this model do not grow with counts, so a circuit cannot decide by them",
                    checkpoint.source()));
  BooleanNetwork network = model.harden();
  network.head.threshold = loss_from_name(rebuilt.config.train.loss).threshold;
  return {
      checkpoint.header().config, checkpoint.header().class_names, std::move(rebuilt.encoder), std::move(network), {}};
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

}  // namespace firn
