#include "firn/cli/circuit_source.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/safetensors.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/cli/config.h"
#include "firn/exchange/format.h"
#include "firn/model/layers/group_sum.h"
#include "firn/train/checkpoint.h"
#include "firn/train/loss.h"

namespace firn {

bool is_checkpoint(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second.starts_with("firn checkpoint");
}

CircuitModel harden_checkpoint(const std::filesystem::path& file) {
  const Checkpoint checkpoint = Checkpoint::read(file);
  const Config config = parse_config(checkpoint.header().config, fmt::format("configuration in {}", file.string()));
  Encoder encoder = checkpoint.encoder();
  const auto model = build_model(config.model, encoder.output_shape(), checkpoint.header().outputs, config.seed);
  restore_model(checkpoint, *model);
  const auto* sum = dynamic_cast<const GroupSumLayer*>(&model->layer(model->layer_count() - 1));
  if (sum == nullptr || sum->factor() <= 0)
    throw Error(fmt::format("{}: the scores of this model do not grow with counts, so a circuit cannot decide by them",
                            file.string()));
  const Head head{sum->factor(), sum->offset(), loss_from_name(config.train.loss).threshold};
  return {checkpoint.header().config, {}, std::move(encoder), head, model->harden(), {}};
}

Netlist netlist_of(const CircuitModel& model) {
  return model.netlist ? *model.netlist : lower(model.network);
}

Netlist simplified_netlist_of(const CircuitModel& model) {
  Netlist netlist = netlist_of(model);
  simplify(netlist);
  return netlist;
}

CircuitSource load_circuit(const std::string& file) {
  if (const FormatEntry* format = format_of_file(file))
    return {file, std::nullopt, format->read(read_text(file), file)};
  const SafetensorsFile tensors = SafetensorsFile::read(file);
  return {file, is_checkpoint(tensors) ? harden_checkpoint(file) : parse_model(tensors), std::nullopt};
}

}  // namespace firn
