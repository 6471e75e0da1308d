// How described layers become stages: every output with the features it reads.
#include <algorithm>
#include <span>
#include <utility>

#include "firn/base/error.h"
#include "firn/diagnose/cone_network.h"

namespace firn::diagnose {

namespace {

// [outputs][positions][taps] features
std::vector<std::uint32_t> wires_of(const LayerDescription& layer) {
  std::vector<std::uint32_t> wires;
  wires.reserve(layer.output.size() * layer.pool.size() * layer.taps);
  for (std::size_t u = 0; u < layer.units(); ++u)
    for (std::size_t o = 0; o < layer.unit_outputs(); ++o)
      for (std::size_t p = 0; p < layer.pool.size(); ++p)
        for (std::size_t t = 0; t < layer.taps; ++t) wires.push_back(layer.feature(u, t, o, p));
  return wires;
}

SlotStage slot_stage(const LayerDescription& layer, std::size_t first_neuron) {
  SlotStage stage;
  stage.inputs = layer.input.size();
  stage.unit_outputs = layer.unit_outputs();
  stage.first_neuron = first_neuron;
  stage.wires = wires_of(layer);  // taps are pairs, slot by slot
  return stage;
}

UnitStage unit_stage(const LayerDescription& layer, std::size_t first_neuron, const Mixtures& mixtures) {
  UnitStage stage;
  stage.taps = layer.taps;
  stage.gates = layer.gates;
  stage.operands = layer.operands;
  stage.positions = layer.pool.size();
  stage.inputs = layer.input.size();
  stage.unit_outputs = layer.unit_outputs();
  stage.first_neuron = first_neuron;
  stage.wires = wires_of(layer);
  for (std::size_t i = 0; i < layer.neurons(); ++i) stage.terms.push_back(mixtures.mixed(first_neuron + i));
  return stage;
}

}  // namespace

ConeNetwork::ConeNetwork(const Model& model, const TaskLoss& loss, double temperature)
    : mixtures_(model, temperature),
      loss_(loss),
      input_layout_(model.input()),
      head_(model.head()),
      outputs_(model.outputs()),
      group_rows_(model.description().layers.back().output.size() / outputs_) {
  std::size_t first_neuron = 0;
  for (const LayerDescription& layer : model.description().layers) {
    if (layer.has_own_slots)
      add_stage(slot_stage(layer, first_neuron));
    else
      add_stage(unit_stage(layer, first_neuron, mixtures_));
    first_neuron += layer.neurons();
  }
  find_homes();
}

void ConeNetwork::add_stage(Stage stage) {
  const std::size_t inputs = std::visit([](const auto& s) { return s.inputs; }, stage);
  const std::size_t operands = std::visit([](const auto& s) { return s.wires_per_output(); }, stage);
  const std::span<const std::uint32_t> wires =
      std::visit([](const auto& s) { return std::span<const std::uint32_t>(s.wires); }, stage);
  const std::size_t outputs = wires.size() / operands;
  Readers readers;
  readers.first.assign(inputs + 1, 0);
  // Twice over the outputs: once to count the readers of each feature, once to write them down.
  std::vector<std::uint32_t> unique;
  const auto for_each_operand = [&](const auto& body) {
    for (std::size_t o = 0; o < outputs; ++o) {
      unique.assign(wires.begin() + static_cast<std::ptrdiff_t>(o * operands),
                    wires.begin() + static_cast<std::ptrdiff_t>((o + 1) * operands));
      std::sort(unique.begin(), unique.end());
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      for (std::uint32_t feature : unique)
        if (feature != kOutside) body(feature, static_cast<std::uint32_t>(o));
    }
  };
  for_each_operand([&](std::uint32_t feature, std::uint32_t) { ++readers.first[feature + 1]; });
  for (std::size_t f = 0; f < inputs; ++f) readers.first[f + 1] += readers.first[f];
  readers.readers.resize(readers.first.back());
  std::vector<std::uint32_t> next(readers.first.begin(), readers.first.end() - 1);
  for_each_operand([&](std::uint32_t feature, std::uint32_t o) { readers.readers[next[feature]++] = o; });
  readers_.push_back(std::move(readers));
  stages_.push_back(std::move(stage));
}

void ConeNetwork::find_homes() {
  homes_.resize(mixtures_.count());
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    if (const auto* units = std::get_if<UnitStage>(&stages_[s]))
      for (std::size_t g = 0; g < units->terms.size(); ++g)
        homes_[units->first_neuron + g] = {s, static_cast<std::uint32_t>(g / units->gates * units->unit_outputs)};
    if (const auto* slots = std::get_if<SlotStage>(&stages_[s]))
      for (std::size_t o = 0; o < slots->outputs(); o += slots->unit_outputs)
        homes_[slots->first_neuron + o / slots->unit_outputs] = {s, static_cast<std::uint32_t>(o)};
  }
}

}  // namespace firn::diagnose
