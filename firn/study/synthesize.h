// What a model costs in hardware: its circuit with and without encoder and head, judged by the tools of others.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/circuit/comparators.h"
#include "firn/infer/model_file.h"
#include "firn/study/clock.h"
#include "firn/synth/target.h"

namespace firn::study {

// Encoder and head each in or out, in the words that users type.
struct SynthesisContents {
  bool encoder = false, head = false;
};
std::vector<std::string> contents_names();  // alone, encoder, head, both
SynthesisContents contents_named(std::string_view name);

struct SynthesisParams {
  std::vector<const TargetEntry*> targets = {};  // empty: all
  std::vector<SynthesisContents> contents = {};  // empty: all four
  std::optional<InputFormat> input = {};         // how features arrive at the encoder; else as it was fitted
  std::size_t pipeline = 0;                      // stages of registers
  std::optional<ClockWish> clock = {};           // chooses them instead
  WorkbenchSettings bench = {.seconds = 300};
  // Before every measurement and after the last: how many are done, of how many, and what comes next.
  std::function<void(std::size_t done, std::size_t total, const std::string& next)> on_step = {};
};

struct SynthesizedCircuit {
  SynthesisContents contents;
  std::size_t inputs = 0, outputs = 0, gates = 0, depth = 0, stages = 0;
  std::optional<PipelineChoice> choice = {};  // where a clock was asked for
  std::vector<TargetResult> results = {};

  // The period that the tools of the clock's target found; nothing where they found none.
  std::optional<double> period(const ClockWish& clock) const;
};

struct ToolVersion {
  std::string program, package;
  std::optional<std::string> version;  // nothing: it is not installed
};

struct Synthesis {
  std::vector<ToolVersion> tools;
  std::vector<SynthesizedCircuit> circuits;
  std::vector<std::string> notes;  // what was skipped or failed, and why; sentences without a full stop
  std::optional<ClockWish> clock;

  bool has_failures() const;  // a tool ended with an error
  bool misses_clock() const;  // a tool found a longer period than was asked for
};

// Measures circuit by circuit and target by target. Stopped is thrown where the workbench may not go on.
Synthesis synthesize(const CircuitModel& model, const SynthesisParams& params);

// Everything that is known, for programs.
nlohmann::ordered_json to_json(const Synthesis& synthesis);

// The delays of stages, measured on the circuit of a model with encoder and head, or on one made for the purpose.
DelayTable calibrate_delays(const CircuitModel* model, const std::string& target, const WorkbenchSettings& bench,
                            const std::function<void(std::size_t done, std::size_t total)>& on_step = {});

}  // namespace firn::study
