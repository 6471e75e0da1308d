#include "firn/study/export_circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/identifier.h"
#include "firn/exchange/topological.h"

namespace firn::study {

namespace {

// A file's name may hold anything; in the head of a file it must not end the line.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  return text;
}

std::vector<std::string> notes(const CircuitModel& model, const FormatEntry& format, const ExportParams& params,
                               const Netlist& netlist) {
  const Shape& shape = model.encoder.input_shape();
  const std::size_t groups = model.network.head.groups, thresholds = model.encoder.thresholds().rows();
  std::vector<std::string> lines = {
      fmt::format("Logic gate network exported by Firn from {}: {}.", on_one_line(params.source),
                  contents(params.with_encoder, params.with_head)),
      fmt::format("{} inputs, {} outputs, {} gates; {}.", netlist.inputs, netlist.outputs.size(), netlist.gates.size(),
                  format.summary),
      fmt::format("A sample has {} channels of {} x {}; feature f is channel * {} + line * {} + column.",
                  shape.channels, shape.height, shape.width, shape.height * shape.width, shape.width)};
  if (params.with_encoder)
    lines.push_back("Input x[8 * f + b] is bit b (0 is the least significant) of the byte of feature f.");
  else
    lines.push_back(fmt::format("Input x[t * {} + f] is 1 where feature f is above threshold t, t from 0 to {}.",
                                shape.size(), thresholds - 1));
  if (params.with_head)
    lines.push_back(fmt::format("Output y[b] is bit b (0 is the least significant) of the predicted class{}.",
                                groups == 1 ? "" : "; ties go to the lowest class"));
  else
    lines.push_back(
        fmt::format("Outputs come in {} equal groups, one for each class in order; the class with most "
                    "outputs set wins, the lowest on ties.",
                    groups));
  return lines;
}

Netlist surrounded(const Netlist& circuit, const CircuitModel& model, bool encoder, bool head) {
  Netlist netlist = head ? with_head(circuit, model.network.head) : circuit;
  return encoder ? with_encoder(netlist, model.encoder) : netlist;
}

Netlist in_own_order(const CircuitSource& file) {
  const Netlist& netlist = file.circuit->netlist;
  return in_bus_order(*file.circuit, netlist.inputs, netlist.outputs.size(), file.file);
}

// A file holds the circuit alone, or with encoder, head, or both; its size tells which.
std::vector<ComparedCircuits> readings_of_file(const CircuitModel& model, const std::string& name,
                                               const CircuitSource& file) {
  const Netlist circuit = netlist_of(model), found = in_own_order(file);
  std::vector<ComparedCircuits> pairs;
  for (const bool head : {false, true})
    for (const bool encoder : {false, true}) {
      if (encoder && model.encoder.parts().values != "bytes") continue;
      if (found.inputs != (encoder ? byte_inputs(model.encoder) : circuit.inputs)) continue;
      if (found.outputs.size() != (head ? class_bits(model.network.head.groups) : circuit.outputs.size())) continue;
      pairs.push_back({surrounded(circuit, model, encoder, head), found, contents(encoder, head)});
    }
  if (pairs.empty())
    throw Error(fmt::format("{} has {} inputs and {} outputs, which is not {} in any way it is exported", file.file,
                            found.inputs, found.outputs.size(), name));
  return pairs;
}

}  // namespace

std::vector<CircuitVariant> circuit_variants(const CircuitModel& model) {
  const Netlist circuit = simplified_netlist_of(model);
  std::vector<CircuitVariant> variants;
  for (const bool head : {false, true})
    for (const bool encoder : {false, true})
      if (!encoder || model.encoder.parts().values == "bytes")
        variants.push_back({encoder, head, surrounded(circuit, model, encoder, head)});
  return variants;
}

std::string export_circuit(const CircuitModel& model, const FormatEntry& format, const ExportParams& params) {
  Blueprint blueprint;
  blueprint.name = identifier(params.name);
  blueprint.netlist = surrounded(simplified_netlist_of(model), model, params.with_encoder, params.with_head);
  if (blueprint.netlist.inputs == 0 || blueprint.netlist.outputs.empty())
    throw Error(fmt::format("{} has no inputs or no outputs, so there is nothing to export", params.source));
  blueprint.notes = notes(model, format, params, blueprint.netlist);
  return format.write(blueprint, params.options);
}

CircuitModel import_circuit(const std::string& file, CircuitModel model) {
  const FormatEntry* format = format_of_file(file);
  if (format == nullptr) throw Error(fmt::format("{} does not end in .aig, .aag, .blif, .c or .v", file));
  Netlist netlist =
      in_bus_order(format->read(read_text(file), file), model.network.input.size(), model.network.outputs(), file);
  simplify(netlist);
  recover_xors(netlist);
  simplify(netlist);
  sort_by_depth(netlist);
  model.netlist = std::move(netlist);
  return model;
}

std::string different_surroundings(const CircuitModel& first, const CircuitModel& second) {
  const EncoderParts &x = first.encoder.parts(), &y = second.encoder.parts();
  bool same = x.encoding == y.encoding && x.values == y.values && x.input_shape == y.input_shape &&
              x.thresholds.rows() == y.thresholds.rows() && x.thresholds.cols() == y.thresholds.cols();
  for (std::size_t t = 0; same && t < x.thresholds.rows(); ++t)
    same = std::ranges::equal(x.thresholds[t], y.thresholds[t]);
  if (!same) return "the encoders are not the same";
  return first.network.head == second.network.head ? "" : "the heads are not the same";
}

std::vector<ComparedCircuits> comparisons_of(const CircuitSource& first, const CircuitSource& second) {
  if (first.model && second.model)
    return {{netlist_of(*first.model), netlist_of(*second.model), "circuits alone, encoders and heads equal"}};
  if (first.model) return readings_of_file(*first.model, first.file, second);
  if (!second.model) return {{in_own_order(first), in_own_order(second), "two files"}};
  std::vector<ComparedCircuits> pairs = readings_of_file(*second.model, second.file, first);
  for (ComparedCircuits& pair : pairs) std::swap(pair.first, pair.second);
  return pairs;
}

}  // namespace firn::study
