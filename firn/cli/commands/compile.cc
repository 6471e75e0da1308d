#include "firn/cli/commands/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/statistics.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/infer/model_file.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/output_file.h"
#include "firn/study/prune_circuit.h"
#include "firn/study/words.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class Compile final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", file_, "Checkpoint of a run").required().type_name("");
    options.add("-o,--output", output_, "Model file to write").required().type_name("FILE");
    options.add_flag("--direct", direct_, "Store the layers only; they then run without being unrolled");
    options.add_flag("--prune-unvisited", prune_,
                     "Make gates cheaper where no training example tells the difference; the circuit is then no longer "
                     "exactly the network");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    if (prune_ && direct_) throw UsageError("--direct keeps the layers as they are; leave out --prune-unvisited");
    check_output(output_, {file_});
    CompiledCircuit compiled = compile();
    std::optional<PruneReport> pruned;
    if (prune_) {
      pruned = prune(compiled);
      check_output(output_, pruned->files);
    }
    const BooleanNetwork& network = compiled.model.network;
    write_model(output_, compiled.model);
    if (compiled.machine)
      print(compiled, pruned.has_value());
    else
      fmt::print("{}: {} gates in {} layers, to be run without unrolling\n", output_,
                 format_count(unrolled_gates(network)), network.layers.size());
    if (pruned) print(*pruned);
    return kDone;
  }

 private:
  CompiledCircuit compile() const {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    std::optional<Progress> progress;
    CompileParams params{.direct = direct_};
    params.on_stage = [&](std::size_t done, std::size_t total, std::string_view next) {
      if (!progress) progress.emplace("stage", total, seconds_since_start_of_clock);
      progress->update(done);
      if (progress->elapsed() > 1) printer.show(*progress, next);  // most models are done before anybody wonders
    };
    return compile_checkpoint(file_, params);
  }

  PruneReport prune(CompiledCircuit& compiled) const {
    Threads threads(threads_.count());
    return prune_circuit(compiled, file_, data_root_.resolve(), threads);
  }

  void print(const PruneReport& report) const {
    const PruneStats& stats = report.stats;
    if (report.warning) print_note(*report.warning);
    fmt::print("pruned      {} of {} gates are left: {} of their {} rows occur in none of {} training examples\n",
               format_count(stats.gates_after), format_count(stats.gates_before), format_count(stats.unvisited),
               format_count(4 * stats.gates_before), format_count(report.examples));
    for (const PruneAgreement& part : report.agreements) {
      const auto percent = [&](std::size_t count) {
        return fmt::format("{:.2f} %", 100.0 * static_cast<double>(count) / static_cast<double>(part.examples));
      };
      fmt::print("            {}: {} of {} predictions agree with the exact circuit{}\n", part.part,
                 percent(part.alike), format_count(part.examples),
                 part.has_classes
                     ? fmt::format("; {} right, {} before", percent(part.right_after), percent(part.right_before))
                     : "");
    }
  }

  void print(const CompiledCircuit& compiled, bool is_pruned) const {
    const CircuitModel& model = compiled.model;
    const SimplifyStats& stats = compiled.simplified;
    const CircuitMachine& machine = *compiled.machine;
    const CircuitCost cost = circuit_cost(*model.netlist, model.network);
    TextTable table({{"layer"},
                     {"unrolled", Align::kRight},
                     {"left", Align::kRight},
                     {"and", Align::kRight},
                     {"xor", Align::kRight},
                     {"depth", Align::kRight}});
    LayerCost total{.name = "all", .depth = cost.depth};
    const auto add = [&](const LayerCost& layer) {
      table.add({layer.name, format_count(layer.unrolled), format_count(layer.gates()), format_count(layer.and_gates),
                 format_count(layer.xor_gates), std::to_string(layer.depth)});
    };
    for (const LayerCost& layer : cost.layers) {
      add(layer);
      total.unrolled += layer.unrolled;
      total.and_gates += layer.and_gates;
      total.xor_gates += layer.xor_gates;
    }
    add(total);
    fmt::print("{}\n", table.str());
    for (const PassStats& pass : stats.passes)
      fmt::print("{:<11} removed {:>10} gates\n", pass.name, format_count(pass.removed));
    fmt::print("\ncounts      {} gates; {} without sharing; {} with padding charged and 7 an output for the adders\n",
               format_count(stats.gates_after), format_count(stats.gates_unshared),
               format_count(gates_with_adders(model.network)));
    fmt::print("            about {} six-input look-up tables, without the adders\n", format_count(cost.luts));
    fmt::print("schedule    {} instructions on {} values in memory, {} {} per block\n",
               format_count(machine.instructions()), format_count(machine.rows()), format_count(64 * kBlockWords),
               examples_word(model.encoder.input_shape()));
    fmt::print("checked     against the layers on 512 random inputs{}: equal counts\n",
               is_pruned ? ", before pruning" : "");
    std::error_code no_file;  // a pipe has no size
    const std::uintmax_t bytes = std::filesystem::file_size(output_, no_file);
    fmt::print("compiled    in {:.2f} s: {}{}\n", compiled.seconds, output_,
               no_file ? "" : fmt::format(" ({:.1f} MB)", static_cast<double>(bytes) / 1e6));
  }

  std::string file_, output_;
  bool direct_ = false, prune_ = false;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_compile() {
  return std::make_unique<Compile>();
}

}  // namespace firn::cli
