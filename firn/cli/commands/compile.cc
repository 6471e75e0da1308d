#include "firn/cli/commands/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/model_file.h"
#include "firn/circuit/simplify.h"
#include "firn/circuit/statistics.h"
#include "firn/cli/progress.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/direct_machine.h"
#include "firn/study/circuit_source.h"

namespace firn {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kMaxUnrolled = std::size_t{1} << 26;  // gates; a netlist of more takes gigabytes

class Compile final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", file_, "Checkpoint of a run").required().type_name("");
    options.add("-o,--output", output_, "Model file to write").required().type_name("FILE");
    options.add_flag("--direct", direct_, "Store the layers only; they then run without being unrolled");
  }

  int run() override {
    CircuitModel model = harden_checkpoint(Checkpoint::read(file_));
    const std::size_t unrolled = unrolled_gates(model.network);
    if (direct_ || unrolled > kMaxUnrolled) {
      write_model(output_, model);
      fmt::print("{}: {} gates in {} layers, to be run without unrolling\n", output_, format_count(unrolled),
                 model.network.layers.size());
      return kDone;
    }
    build(model);
    write_model(output_, model);
    print(model);
    return kDone;
  }

 private:
  void build(CircuitModel& model) {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress("stage", 4, seconds_since_start_of_clock);
    const auto done = [&](std::uint64_t stages, std::string_view next) {
      progress.update(stages);
      if (progress.elapsed() > 1) printer.show(progress, next);  // most models are done before anybody wonders
    };
    Netlist netlist = lower(model.network);
    done(1, "simplifying");
    stats_ = simplify(netlist);
    done(2, "scheduling");
    const CircuitMachine machine(netlist, model.network.classes);
    rows_ = machine.rows();
    instructions_ = machine.instructions();
    block_ = 64 * choose_words(machine);
    seconds_ = progress.elapsed();
    done(3, "checking");
    FIRN_CHECK(count_alike(machine, DirectMachine(model.network), /*seed=*/1));
    done(4, "");
    model.netlist = std::move(netlist);
  }

  void print(const CircuitModel& model) const {
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
    for (const PassStats& pass : stats_.passes)
      fmt::print("{:<11} removed {:>10} gates\n", pass.name, format_count(pass.removed));
    fmt::print("\ncounts      {} gates; {} without sharing; {} with padding charged and 7 an output for the adders\n",
               format_count(stats_.gates_after), format_count(stats_.gates_unshared),
               format_count(gates_with_adders(model.network)));
    fmt::print("            about {} six-input look-up tables, without the adders\n", format_count(cost.luts));
    fmt::print("schedule    {} instructions on {} rows, {} samples a block\n", format_count(instructions_),
               format_count(rows_), format_count(block_));
    fmt::print("checked     against the layers on 512 random inputs: equal counts\n");
    fmt::print("compiled    in {:.2f} s: {} ({:.1f} MB)\n", seconds_, output_,
               static_cast<double>(std::filesystem::file_size(output_)) / 1e6);
  }

  std::string file_, output_;
  bool direct_ = false;
  SimplifyStats stats_;
  std::size_t rows_ = 0, instructions_ = 0, block_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_compile() {
  return std::make_unique<Compile>();
}

}  // namespace firn
