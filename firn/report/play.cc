#include "firn/report/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/data/rows.h"
#include "firn/report/bundle.h"
#include "firn/report/packed.h"
#include "firn/report/page.h"

namespace firn::report {
namespace {

using nlohmann::json;

json to_json(const Shape& shape) {
  return {shape.channels, shape.height, shape.width};
}

json to_json(const Extent& extent) {
  return {extent.height, extent.width};
}

std::span<const std::uint8_t> as_bytes(const std::vector<Gate>& gates) {
  return {reinterpret_cast<const std::uint8_t*>(gates.data()), gates.size()};  // Gate is an enum of that type
}

json to_json(const BooleanLayer& layer) {
  const LayerDescription& wiring = layer.wiring;
  return {{"name", wiring.name},
          {"in", to_json(wiring.input)},
          {"out", to_json(wiring.output)},
          {"taps", wiring.taps},
          {"gates", wiring.gates},
          {"operands", wiring.operands},
          {"window", to_json(wiring.window)},
          {"padding", to_json(wiring.padding)},
          {"stride", wiring.stride},
          {"pool", to_json(wiring.pool)},
          {"tap_channel", packed(std::span<const std::uint32_t>(wiring.tap_channel))},
          {"tap_place", packed(std::span<const std::uint8_t>(wiring.tap_place))},
          {"opcodes", packed(as_bytes(layer.gates))}};
}

// Inverters go into the gates, so that the page needs only nodes; how far back an operand lies is a smaller number
// than its node, and compresses better.
json to_json(const Netlist& netlist) {
  std::vector<std::uint32_t> a, b, outputs;
  std::vector<std::uint8_t> operations;
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    const auto node = static_cast<std::uint32_t>(netlist.first_gate() + g);
    a.push_back(node - gate.a.node());
    b.push_back(node - gate.b.node());
    operations.push_back(
        static_cast<std::uint8_t>(with_inputs_inverted(gate.op, gate.a.inverted(), gate.b.inverted())));
  }
  for (const Wire output : netlist.outputs) outputs.push_back(output.literal());
  return {{"inputs", netlist.inputs},
          {"back_to_a", packed(std::span<const std::uint32_t>(a))},
          {"back_to_b", packed(std::span<const std::uint32_t>(b))},
          {"operations", packed(std::span<const std::uint8_t>(operations))},
          {"outputs", packed(std::span<const std::uint32_t>(outputs))}};
}

json to_json(const encode::EncoderParts& encoder) {
  json thresholds = json::array();
  for (std::size_t t = 0; t < encoder.thresholds.rows(); ++t) thresholds.push_back(encoder.thresholds[t]);
  return {{"encoding", encoder.encoding},
          {"values", encoder.values},
          {"shape", to_json(encoder.input_shape)},
          {"thresholds", thresholds}};
}

json to_json(const Head& head) {
  return {{"groups", head.groups},
          {"factor", head.factor},
          {"offset", head.offset},
          {"threshold", head.threshold},
          {"is_value", head.is_value}};
}

json columns_of(const infer::CircuitModel& model) {
  json columns = json::array();
  if (!model.schema) return columns;
  const std::vector<FeatureRange> ranges = feature_ranges(*model.schema);
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    const SchemaColumn& column = model.schema->columns[c];
    if (ranges[c].count > 0)
      columns.push_back({{"name", column.name}, {"first", ranges[c].first}, {"categories", column.categories}});
  }
  return columns;
}

template <class T>
std::vector<T> values_of(const MatrixView<T>& rows) {
  std::vector<T> values;
  for (std::size_t i = 0; i < rows.rows(); ++i) values.insert(values.end(), rows[i].begin(), rows[i].end());
  return values;
}

json to_json(const PlayExamples& shown, const std::string& source) {
  const Examples& examples = shown.examples;
  json labels = json::array();
  for (const std::uint16_t label : examples.labels) labels.push_back(label == kNoLabel ? json(nullptr) : json(label));
  return {{"source", source},
          {"numbers", shown.numbers},
          {"names", shown.names},
          {"labels", labels},
          {"targets", examples.targets},  // NaN becomes null
          {"values", examples.has_reals() ? packed(std::span<const float>(values_of(examples.reals)))
                                          : packed(std::span<const std::uint8_t>(values_of(examples.bytes)))}};
}

json class_names_of(const infer::CircuitModel& model) {
  json names = json::array();
  for (std::size_t c = 0; c < model.classes(); ++c)
    names.push_back(c < model.class_names.size() ? model.class_names[c] : std::to_string(c));
  return names;
}

}  // namespace

PlayExamples spread_examples(const Examples& examples, const std::vector<std::string>& names, std::size_t limit) {
  const std::size_t count = examples.count(), shown = std::min(count, limit);
  std::vector<std::uint32_t> indices;
  PlayExamples chosen;
  for (std::size_t i = 0; i < shown; ++i) {
    indices.push_back(static_cast<std::uint32_t>(i * count / shown));
    chosen.numbers.push_back(indices.back() + 1);
    if (!names.empty()) chosen.names.push_back(names[indices.back()]);
  }
  if (shown > 0) chosen.examples = gather_examples(examples, indices);
  return chosen;
}

std::string play_page(const infer::CircuitModel& model, const PlayExamples& shown, const PlaySettings& settings) {
  require_figures();
  FIRN_CHECK(shown.examples.count() == 0 || shown.examples.features() == model.encoder.input_shape().size());
  FIRN_CHECK(shown.numbers.size() == shown.examples.count());
  json layers = json::array();
  for (const BooleanLayer& layer : model.network.layers) layers.push_back(to_json(layer));
  const json document = {{"title", settings.title},
                         {"encoder", to_json(model.encoder.parts())},
                         {"layers", layers},
                         {"netlist", model.netlist ? to_json(*model.netlist) : json(nullptr)},
                         {"head", to_json(model.network.head)},
                         {"classes", class_names_of(model)},
                         {"columns", columns_of(model)},
                         {"examples", to_json(shown, settings.source)}};
  return html_page({.title = settings.title,
                    .script = play_script(),
                    .style = play_style(),
                    .data = document.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace)});
}

}  // namespace firn::report
