#include "firn/cli/commands/synth.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/clock_option.h"
#include "firn/cli/input_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/study/circuit_source.h"
#include "firn/study/output_file.h"
#include "firn/study/synthesize.h"
#include "firn/synth/target.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

// Shows which tool is running, also while it runs.
class ToolProgress {
 public:
  explicit ToolProgress(const InterruptGuard& guard) : guard_(guard) {}

  void step(std::size_t done, std::size_t total, const std::string& next) {
    if (!progress_) progress_.emplace("measurement", total, seconds_since_start_of_clock);
    progress_->update(done);
    next_ = next;
    step_began_ = seconds_since_start_of_clock();
    printer_.show(*progress_, next_);
  }

  // Asked by whoever waits for a tool.
  bool may_go_on() {
    if (progress_)
      printer_.show(*progress_,
                    fmt::format("{}, {}", next_, format_duration(seconds_since_start_of_clock() - step_began_)));
    return !guard_.interrupted();
  }

 private:
  const InterruptGuard& guard_;
  ProgressPrinter printer_{error_stream(), seconds_since_start_of_clock};
  std::optional<Progress> progress_;
  std::string next_;
  double step_began_ = 0;
};

std::string in_or_out(bool in) {
  return in ? "in" : "out";
}

std::string figure(const std::optional<double>& value, int decimals) {
  if (!value) return "-";
  return decimals == 0 ? format_count(static_cast<std::uint64_t>(std::llround(*value)))
                       : fmt::format("{:.{}f}", *value, decimals);
}

class Synth final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Compiled model or checkpoint; may be left out with --calibrate").type_name("");
    options.add("--target", targets_, "What to measure, of xilinx, abc, ice40 and osu018; else everything")
        .one_of(names_of(targets()))
        .separated_by(',')
        .type_name("NAMES");
    options.add("--circuit", circuits_, "Which circuits, of alone, encoder, head and both; else all four")
        .one_of(contents_names())
        .separated_by(',')
        .type_name("NAMES");
    options.add("--input", input_, "With encoder: features as uint8, float32 or fixed:I.F, such as fixed:8.8")
        .type_name("FORMAT");
    options.add("--pipeline", pipeline_, "Stages of registers; 0 is combinational").between(0, 10000).type_name("N");
    clock_.add_to(options);
    options.add("--timeout", timeout_, "Seconds that a single tool may take; 0 waits as long as it likes")
        .between(0.0, 1e6)
        .show_default()
        .type_name("S");
    options.add("--json", json_, "Write everything that was found into this file as well").type_name("FILE");
    options.add_flag("--calibrate", calibrate_, "Measure the delays of levels, from which --clock chooses stages");
    options.add("-o,--output", output_, "With --calibrate: file for the delays").type_name("FILE");
  }

  int run() override {
    if (calibrate_) return calibrate();
    if (file_.empty()) throw UsageError("name a model, or measure delays with --calibrate; see `firn synth --help`");
    if (!output_.empty()) throw UsageError("-o is for --calibrate; --json keeps figures");
    if (clock_.given() && pipeline_ > 0) throw UsageError("--clock chooses the stages; leave out --pipeline");
    SynthesisParams params{.input = input_option(input_), .pipeline = pipeline_, .clock = clock_.wish()};
    for (const std::string& name : targets_) params.targets.push_back(&find_target(name));
    for (const std::string& name : circuits_) params.contents.push_back(contents_named(name));
    const CircuitModel model = load();
    if (!json_.empty()) check_output(json_, {file_, clock_.delays()});
    const InterruptGuard guard;
    std::optional<Synthesis> synthesis;
    try {
      ToolProgress progress(guard);
      params.bench = {timeout_, [&] { return progress.may_go_on(); }};
      params.on_step = [&](std::size_t done, std::size_t total, const std::string& next) {
        progress.step(done, total, next);
      };
      synthesis = synthesize(model, params);
    } catch (const Stopped&) {
      return guard.exit_code();
    }
    if (!json_.empty()) write_file(json_, to_json(*synthesis).dump(1) + "\n");
    return tell(*synthesis);
  }

 private:
  CircuitModel load() const {
    CircuitSource source = load_circuit(file_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", file_));
    return std::move(*source.model);
  }

  int calibrate() {
    if (clock_.given() || pipeline_ > 0 || !json_.empty() || !circuits_.empty() || !input_.empty())
      throw UsageError("--calibrate takes --target, --timeout and -o only");
    const std::vector<std::string> chosen = targets_.empty() ? std::vector<std::string>{"osu018"} : targets_;
    std::optional<CircuitModel> model;
    if (!file_.empty()) model = load();
    if (!output_.empty()) check_output(output_, {file_});
    const InterruptGuard guard;
    std::vector<DelayTable> tables;
    try {
      for (const std::string& target : chosen) {
        ToolProgress progress(guard);
        tables.push_back(
            calibrate_delays(model ? &*model : nullptr, target, {timeout_, [&] { return progress.may_go_on(); }},
                             [&](std::size_t done, std::size_t total) { progress.step(done, total, target); }));
      }
    } catch (const Stopped&) {
      return guard.exit_code();
    }
    for (const DelayTable& table : tables) tell(table);
    if (output_.empty()) {
      fmt::print("\nNot kept; -o FILE writes the delays for --delays FILE.\n");
    } else {
      write_file(output_, delays_text(tables));
      fmt::print("\nWritten: {}\n", output_);
    }
    return kDone;
  }

  static void tell(const DelayTable& found) {
    fmt::print("{}: {}\n", found.target, found.source);
    TextTable table({{"levels", Align::kRight}, {"ns", Align::kRight}, {"ns per level", Align::kRight}});
    for (const StageDelay& stage : found.stages)
      table.add({std::to_string(stage.levels), fmt::format("{:.2f}", stage.ns),
                 fmt::format("{:.3f}", stage.ns / static_cast<double>(stage.levels))});
    fmt::print("{}", table.str());
  }

  int tell(const Synthesis& synthesis) const {
    fmt::print("{}\n", figures(synthesis).str());
    if (const TextTable table = estimates(synthesis); has_estimates(synthesis))
      fmt::print("Our estimates, from the gates alone:\n{}\n", table.str());
    for (const ToolVersion& tool : synthesis.tools)
      if (tool.version) fmt::print("{:<14} {}\n", tool.program, *tool.version);
    for (const std::string& note : synthesis.notes) fmt::print("note: {}\n", note);
    if (synthesis.clock) tell_clock(synthesis);
    if (!json_.empty()) fmt::print("Written: {}\n", json_);
    return synthesis.has_failures() ? kOutsideWorld : synthesis.misses_clock() ? kCheckFailed : kDone;
  }

  static void tell_clock(const Synthesis& synthesis) {
    const ClockWish& clock = *synthesis.clock;
    fmt::print("delays: {}\n", clock.delays.source);
    for (const SynthesizedCircuit& circuit : synthesis.circuits) {
      const std::optional<double> period = circuit.period(clock);
      const std::string verdict = !period              ? "no tool has judged that"
                                  : *period > clock.ns ? fmt::format("MISSED by {:.2f} ns: the tools need {:.2f} ns",
                                                                     *period - clock.ns, *period)
                                                       : fmt::format("met: the tools need {:.2f} ns", *period);
      fmt::print("clock, encoder {}, head {}: {}; {}\n", in_or_out(circuit.contents.encoder),
                 in_or_out(circuit.contents.head), describe(*circuit.choice, clock), verdict);
    }
  }

  // One row per circuit, one column per quantity.
  static TextTable figures(const Synthesis& synthesis) {
    std::vector<TextTable::Column> columns = {
        {"encoder"}, {"head"}, {"gates", Align::kRight}, {"depth", Align::kRight}, {"stages", Align::kRight}};
    for (const TargetResult& result : synthesis.circuits.front().results)
      for (const Quantity& quantity : result.target->quantities)
        columns.push_back({std::string(quantity.title), Align::kRight});
    TextTable table(columns);
    for (const SynthesizedCircuit& circuit : synthesis.circuits) {
      std::vector<std::string> row = {in_or_out(circuit.contents.encoder), in_or_out(circuit.contents.head),
                                      format_count(circuit.gates), std::to_string(circuit.depth),
                                      std::to_string(circuit.stages)};
      for (const TargetResult& result : circuit.results)
        for (std::size_t q = 0; q < result.target->quantities.size(); ++q)
          row.push_back(figure(result.measurement.values[q], result.target->quantities[q].decimals));
      table.add(std::move(row));
    }
    return table;
  }

  static bool has_estimates(const Synthesis& synthesis) {
    for (const SynthesizedCircuit& circuit : synthesis.circuits)
      for (const TargetResult& result : circuit.results)
        for (const std::optional<double>& estimate : result.estimates)
          if (estimate) return true;
    return false;
  }

  static TextTable estimates(const Synthesis& synthesis) {
    TextTable table({{"encoder"},
                     {"head"},
                     {"target"},
                     {"quantity"},
                     {"tools", Align::kRight},
                     {"estimate", Align::kRight},
                     {"error", Align::kRight}});
    for (const SynthesizedCircuit& circuit : synthesis.circuits)
      for (const TargetResult& result : circuit.results)
        for (std::size_t q = 0; q < result.target->quantities.size(); ++q) {
          const std::optional<double>&estimate = result.estimates[q], &found = result.measurement.values[q];
          if (!estimate) continue;
          const Quantity& quantity = result.target->quantities[q];
          table.add({in_or_out(circuit.contents.encoder), in_or_out(circuit.contents.head),
                     std::string(result.target->name), std::string(quantity.title), figure(found, quantity.decimals),
                     figure(estimate, quantity.decimals),
                     found && *found > 0 ? fmt::format("{:+.0f} %", 100 * (*estimate / *found - 1)) : "-"});
        }
    return table;
  }

  std::string file_, input_, json_, output_;
  std::vector<std::string> targets_, circuits_;
  std::size_t pipeline_ = 0;
  double timeout_ = 300;
  bool calibrate_ = false;
  ClockOption clock_;
};

}  // namespace

std::unique_ptr<Command> make_synth() {
  return std::make_unique<Synth>();
}

}  // namespace firn::cli
