#include "firn/study/synthesize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "firn/base/family.h"
#include "firn/study/export_circuit.h"
#include "firn/synth/calibrate.h"

namespace firn::study {

namespace {

struct NamedContents {
  std::string_view name;
  SynthesisContents contents;
  std::string_view phrase;
};
constexpr std::array kContents = {
    NamedContents{"alone", {false, false}, "the circuit alone"},
    NamedContents{"encoder", {true, false}, "with encoder"},
    NamedContents{"head", {false, true}, "with head"},
    NamedContents{"both", {true, true}, "with encoder and head"},
};

std::string_view phrase_of(SynthesisContents contents) {
  return kContents[std::size_t{contents.encoder} + 2 * std::size_t{contents.head}].phrase;
}

bool is_wanted(const CircuitVariant& variant, const std::vector<SynthesisContents>& wanted) {
  return wanted.empty() || std::ranges::any_of(wanted, [&](SynthesisContents contents) {
           return contents.encoder == variant.encoder && contents.head == (variant.head != HeadForm::kNone);
         });
}

std::vector<CircuitVariant> wanted_variants(const CircuitModel& model, const SynthesisParams& params) {
  std::vector<CircuitVariant> variants = circuit_variants(model, params.input);
  std::erase_if(variants, [&](const CircuitVariant& variant) { return !is_wanted(variant, params.contents); });
  return variants;
}

std::vector<const TargetEntry*> wanted_targets(const SynthesisParams& params) {
  if (!params.targets.empty()) return params.targets;
  std::vector<const TargetEntry*> all;
  for (const TargetEntry& target : targets()) all.push_back(&target);
  return all;
}

std::vector<ToolVersion> versions_of_tools(const std::vector<const TargetEntry*>& wanted) {
  std::vector<ToolVersion> versions;
  for (const TargetEntry* target : wanted)
    for (const Tool& tool : target->tools)
      if (std::ranges::find(versions, tool.program, &ToolVersion::program) == versions.end())
        versions.push_back({std::string(tool.program), std::string(tool.package), version_of(tool)});
  return versions;
}

// Once for all circuits where the reason is the same.
void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

void add_notes(std::vector<std::string>& notes, const SynthesizedCircuit& circuit, const TargetResult& result) {
  for (const std::string& note : result.measurement.notes)
    add_note(notes, result.state == TargetResult::State::kSkipped
                        ? fmt::format("{} was skipped: {}", result.target->name, note)
                        : fmt::format("{}, {}: {}", result.target->name, phrase_of(circuit.contents), note));
}

const char* name_of(TargetResult::State state) {
  switch (state) {
    case TargetResult::State::kMeasured:
      return "measured";
    case TargetResult::State::kSkipped:
      return "skipped";
    case TargetResult::State::kTimedOut:
      return "timed out";
    case TargetResult::State::kFailed:
      return "failed";
  }
  return "";
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const TargetResult& result) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (std::size_t q = 0; q < result.target->quantities.size(); ++q)
    figures[std::string(result.target->quantities[q].key)] = {{"measured", number(result.measurement.values[q])},
                                                              {"estimated", number(result.estimates[q])}};
  return {{"target", result.target->name},
          {"state", name_of(result.state)},
          {"seconds", result.seconds},
          {"figures", figures},
          {"notes", result.measurement.notes}};
}

}  // namespace

std::vector<std::string> contents_names() {
  return names_of(kContents);
}

SynthesisContents contents_named(std::string_view name) {
  return entry_named(name, kContents, "circuit").contents;
}

std::optional<double> SynthesizedCircuit::period(const ClockWish& clock) const {
  for (const TargetResult& result : results)
    if (result.target->name == clock.delays.target) return result.value(result.target->period);
  return std::nullopt;
}

bool Synthesis::has_failures() const {
  return std::ranges::any_of(circuits, [](const SynthesizedCircuit& circuit) {
    return std::ranges::any_of(circuit.results,
                               [](const TargetResult& result) { return result.state == TargetResult::State::kFailed; });
  });
}

bool Synthesis::misses_clock() const {
  return clock && std::ranges::any_of(circuits, [&](const SynthesizedCircuit& circuit) {
           return circuit.period(*clock).value_or(0) > clock->ns;
         });
}

Synthesis synthesize(const CircuitModel& model, const SynthesisParams& params) {
  const std::vector<const TargetEntry*> wanted = wanted_targets(params);
  std::vector<CircuitVariant> variants = wanted_variants(model, params);
  Synthesis synthesis{.tools = versions_of_tools(wanted), .circuits = {}, .notes = {}, .clock = params.clock};
  const std::size_t total = variants.size() * wanted.size();
  std::size_t done = 0;
  for (CircuitVariant& variant : variants) {
    const std::vector<std::uint32_t> depths = node_depths(variant.netlist);
    SynthesizedCircuit circuit{.contents = {variant.encoder, variant.head != HeadForm::kNone},
                               .inputs = variant.netlist.inputs,
                               .outputs = variant.netlist.outputs.size(),
                               .gates = variant.netlist.gates.size(),
                               .depth = *std::ranges::max_element(depths),
                               .stages = params.pipeline};
    if (params.clock) {
      circuit.choice = stages_for_clock(params.clock->delays, circuit.depth, params.clock->ns);
      circuit.stages = circuit.choice->stages;
    }
    const Design design{std::move(variant.netlist), circuit.stages};
    for (const TargetEntry* target : wanted) {
      if (params.on_step) params.on_step(done, total, fmt::format("{}, {}", phrase_of(circuit.contents), target->name));
      circuit.results.push_back(measure(design, *target, params.bench));
      add_notes(synthesis.notes, circuit, circuit.results.back());
      ++done;
    }
    synthesis.circuits.push_back(std::move(circuit));
  }
  if (params.on_step) params.on_step(total, total, "");
  return synthesis;
}

nlohmann::ordered_json to_json(const Synthesis& synthesis) {
  nlohmann::ordered_json tools = nlohmann::ordered_json::array(), circuits = nlohmann::ordered_json::array();
  for (const ToolVersion& tool : synthesis.tools) {
    nlohmann::ordered_json entry = {{"program", tool.program}, {"package", tool.package}, {"version", nullptr}};
    if (tool.version) entry["version"] = *tool.version;
    tools.push_back(entry);
  }
  for (const SynthesizedCircuit& circuit : synthesis.circuits) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const TargetResult& result : circuit.results) results.push_back(to_json(result));
    circuits.push_back({{"encoder", circuit.contents.encoder},
                        {"head", circuit.contents.head},
                        {"inputs", circuit.inputs},
                        {"outputs", circuit.outputs},
                        {"gates", circuit.gates},
                        {"depth", circuit.depth},
                        {"stages", circuit.stages},
                        {"targets", results}});
  }
  nlohmann::ordered_json object = {{"tools", tools}, {"circuits", circuits}, {"notes", synthesis.notes}};
  if (synthesis.clock)
    object["clock"] = {{"ns", synthesis.clock->ns},
                       {"target", synthesis.clock->delays.target},
                       {"delays", synthesis.clock->delays.source},
                       {"missed", synthesis.misses_clock()}};
  return object;
}

DelayTable calibrate_delays(const CircuitModel* model, const std::string& target, const WorkbenchSettings& bench,
                            const std::function<void(std::size_t done, std::size_t total)>& on_step) {
  if (model == nullptr) return calibrate(calibration_circuit(), "calibration circuit", target, bench, on_step);
  SynthesisParams both;
  both.contents = {{true, true}};
  const std::vector<CircuitVariant> variants = wanted_variants(*model, both);
  return calibrate(variants.front().netlist, "model with encoder and head", target, bench, on_step);
}

}  // namespace firn::study
