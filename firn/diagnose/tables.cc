#include "firn/diagnose/tables.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "firn/base/table.h"
#include "firn/base/table_sums.h"

namespace firn::diagnose {

namespace {

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}
std::string number(std::size_t value) {
  return std::to_string(value);
}
std::string flag(bool value) {
  return value ? "1" : "0";
}

// Layer and neuron within it: the first cells of every row.
std::vector<std::string> address(const Mixtures& mixtures, std::size_t neuron) {
  const Mixtures::Group& group = mixtures.group_of(neuron);
  return {group.name, number(neuron - group.first)};
}

std::string gate_number(const Mixtures& mixtures, std::size_t neuron, std::size_t slot) {
  return std::to_string(static_cast<int>(mixtures.gate(neuron, slot)));
}

void append(std::vector<std::string>& cells, std::initializer_list<std::string> more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

std::string effects_table(const Diagnosis& diagnosis, const Mixtures& mixtures) {
  CsvText table({"layer", "neuron", "entropy", "argmax_slot", "argmax_gate", "argmax_weight", "argmax_score",
                 "argmax_effect", "argmax_displacement", "selected_slot", "selected_gate", "selected_weight",
                 "selected_score", "selected_effect", "selected_displacement"});
  for (const FreezeEffect& e : diagnosis.effects) {
    std::vector<std::string> cells = address(mixtures, e.neuron);
    const Weights16& q = mixtures.weights(e.neuron);
    append(cells, {number(e.entropy), number(e.argmax), gate_number(mixtures, e.neuron, e.argmax), number(q[e.argmax]),
                   number(e.argmax_score), number(e.argmax_effect.effect), number(e.argmax_effect.displacement),
                   number(e.selected), gate_number(mixtures, e.neuron, e.selected), number(q[e.selected]),
                   number(e.selected_score), number(e.selected_effect.effect), number(e.selected_effect.displacement)});
    table.add(cells);
  }
  return table.str();
}

std::string locality_table(const Locality& locality, const Mixtures& mixtures) {
  CsvText table({"layer", "neuron", "slot", "gate", "weight", "is_argmax", "displacement", "effect", "first_order",
                 "second_order", "first_error", "second_error", "winning_displacement", "first_sample_error",
                 "second_sample_error"});
  for (const LocalNeuron& n : locality.neurons)
    for (std::size_t k = 0; k < n.slots.size(); ++k) {
      std::vector<std::string> cells = address(mixtures, n.neuron);
      append(cells, {number(k), gate_number(mixtures, n.neuron, k), number(mixtures.weights(n.neuron)[k]),
                     flag(k == mixtures.chosen(n.neuron)), number(n.slots[k].displacement), number(n.slots[k].effect),
                     number(n.scores[k]), number(n.scores[k] + n.slots[k].second / 2), number(n.first_error(k)),
                     number(n.second_error(k)), number(n.slots[k].winning), number(n.slots[k].first_error),
                     number(n.slots[k].second_error)});
      table.add(cells);
    }
  return table.str();
}

std::string held_out_table(const HeldOut& held_out, const Mixtures& mixtures) {
  CsvText table({"layer", "neuron", "selected_on", "argmax_slot", "selected_slot", "displacement", "argmax_effect_a",
                 "selected_effect_a", "argmax_effect_b", "selected_effect_b"});
  for (const HeldOutChoice& c : held_out.choices) {
    std::vector<std::string> cells = address(mixtures, c.neuron);
    append(cells, {c.half == 0 ? "a" : "b", number(c.argmax), number(c.selected), number(c.displacement),
                   number(c.argmax_effect[0]), number(c.selected_effect[0]), number(c.argmax_effect[1]),
                   number(c.selected_effect[1])});
    table.add(cells);
  }
  return table.str();
}

std::string gaps_table(const LayeredGaps& gaps) {
  CsvText table({"layer", "neurons", "frozen", "loss", "accuracy", "loss_gap", "accuracy_gap", "constants", "wires",
                 "dead", "not_nearest"});
  for (const LayerGap& layer : gaps.layers)
    table.add({layer.layer, number(layer.neurons), number(layer.frozen), number(layer.discrete.loss),
               number(layer.discrete.accuracy), number(layer.discrete.loss - gaps.whole.relaxed.loss),
               number(gaps.whole.relaxed.accuracy - layer.discrete.accuracy), number(layer.constants),
               number(layer.wires), number(layer.dead), number(layer.not_nearest)});
  return table.str();
}

std::string gates_table(const LayeredGaps& gaps) {
  CsvText table({"layer", "neuron", "slot", "gate", "weight", "frozen", "constant", "wire", "dead", "nearest_slot"});
  for (const GateRow& row : gaps.gates)
    table.add({gaps.layers[row.group].layer, number(row.neuron), number(row.slot),
               std::to_string(static_cast<int>(row.gate)), number(row.weight), flag(row.is_frozen),
               flag(is_constant(row.gate)), flag(is_wire(row.gate)), flag(row.is_dead), number(row.nearest)});
  return table.str();
}

}  // namespace

void write_tables(const Diagnosis& diagnosis, const Mixtures& mixtures, const std::filesystem::path& folder) {
  std::map<std::string, std::string> tables;
  if (!diagnosis.effects.empty()) tables["effects.csv"] = effects_table(diagnosis, mixtures);
  if (diagnosis.locality) tables["locality.csv"] = locality_table(*diagnosis.locality, mixtures);
  if (diagnosis.held_out) tables["heldout.csv"] = held_out_table(*diagnosis.held_out, mixtures);
  if (diagnosis.gaps) {
    tables["gaps.csv"] = gaps_table(*diagnosis.gaps);
    tables["gates.csv"] = gates_table(*diagnosis.gaps);
  }
  write_covered_tables(folder, tables);
}

}  // namespace firn::diagnose
