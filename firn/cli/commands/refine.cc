#include "firn/cli/commands/refine.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/simd_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/on_ranks.h"
#include "firn/cli/print_line.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/study/refine_checkpoint.h"

namespace firn::cli {
namespace {

std::string percent_of(double fraction) {
  return fmt::format("{:.2f} %", 100 * fraction);
}

class Refine final : public Command {
 public:
  void add_options(Options& options) override {
    RefineSettings& settings = params_.settings;
    options.add("CHECKPOINT", file_, "Checkpoint of a run").required().type_name("");
    options.add("--out", out_, "Checkpoint to write; FILE.moves.csv lists the moves").required().type_name("FILE");
    options.add("--objective", settings.objective, "Lower the loss, or remove gates at no loss beyond the noise")
        .one_of({"loss", "gates"})
        .type_name("loss|gates");
    options.add("--layers", settings.layers, "Only these layers: names, conv or all")
        .separated_by(',')
        .type_name("LIST");
    options.add("--sweeps", settings.sweeps, "At most; held-out examples end them earlier")
        .between(1, 100)
        .type_name("N");
    options.add("--copies", settings.copies, "Of each image: itself and augmented ones, drawn anew for every sweep")
        .between(1, 1000)
        .type_name("N");
    options
        .add("--significance", significance_,
             "Standard errors that a gain must exceed (with --objective gates: that a removal may cost): of gates "
             "placed many "
             "times, and of gates placed once")
        .separated_by(',')
        .type_name("Z[,Z]");
    options.add("--fit-split", params_.fit_split, "Fit to training examples, or to one half of the validation split")
        .one_of({"train", "validation"})
        .type_name("train|validation");
    options.add("--images", params_.images, "Fit to this many examples only; 0 is all").type_name("N");
    options.add("--memory", memory_, "Limit for the fitting set in gigabytes; fewer copies are used above it")
        .between(0.001, 1e6)
        .type_name("GB");
    options.add("--seed", settings.seed, "Of the order of images and of their copies").type_name("N");
    options.add_flag("--json", json_, "Print the result as JSON");
    data_root_.add_to(options);
    threads_.add_to(options);
    simd_.add_to(options);
    rank_timeout_.add_to(options);
  }

  int run() override {
    read_significance();
    params_.checkpoint = file_;
    params_.output = out_;
    params_.data_root = data_root_.resolve();
    params_.settings.memory = static_cast<std::uint64_t>(memory_ * 1e9);
    simd_.apply();
    return run_on_ranks(rank_timeout_.seconds(), [&](Ranks& ranks) { return run(ranks); });
  }

 private:
  int run(Ranks& ranks) {
    Threads threads(threads_.count());
    const InterruptGuard guard;
    params_.observer.cancelled = [&] { return guard.interrupted(); };
    // Ranks other than the first one do the same, in silence.
    const RefineResult result =
        ranks.is_first() ? refine_and_tell(threads, ranks) : refine_checkpoint(params_, threads, ranks);
    if (ranks.is_first() && !result.is_complete)
      print_line("interrupted; run the same command again to continue after the last whole sweep");
    if (!result.is_complete) return guard.exit_code();
    if (ranks.is_first()) json_ ? print_json(result) : print(result);
    return kDone;
  }

  void read_significance() {
    if (significance_.empty()) return;
    if (significance_.size() > 2) throw UsageError("--significance takes one number or two");
    for (double z : significance_)
      if (!(z >= 0 && z <= 100)) throw UsageError("--significance must be between 0 and 100");
    params_.settings.shared_significance = significance_.front();
    params_.settings.single_significance = significance_.back();
  }

  RefineResult refine_and_tell(Threads& threads, Ranks& ranks) {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    std::optional<Progress> progress;
    params_.observer.on_progress = [&](std::uint64_t done, std::uint64_t total) {
      if (!progress) progress.emplace("unit", total, seconds_since_start_of_clock);
      progress->update(done);
      printer.show(*progress);
    };
    params_.on_warning = print_note;
    params_.on_start = [&](std::uint64_t bytes, std::size_t copies, std::uint32_t sweeps_done) {
      if (json_) return;
      print_line(fmt::format("{:.2f} GB for {} {} of each example", 1e-9 * static_cast<double>(bytes), copies,
                             copies == 1 ? "copy" : "copies"));
      if (sweeps_done > 0) print_line(fmt::format("resuming after sweep {}", sweeps_done));
    };
    params_.on_sweep = [&](const SweepReport& report) {
      progress.reset();
      reports_.push_back(report);
      if (!json_) print_sweep(report);
    };
    return refine_checkpoint(params_, threads, ranks);
  }

  static void print_sweep(const SweepReport& report) {
    print_line(fmt::format("\nsweep {}, {}, {}", report.sweep,
                           report.of_shared_gates ? "gates placed many times" : "gates placed once",
                           format_duration(report.seconds)));
    for (const LayerSweep& layer : report.layers)
      print_line(fmt::format("  {:<12} {:>10} moves tried {:>8} accepted {:>10.0f} moves/s", layer.layer,
                             format_count(layer.tried), format_count(layer.accepted),
                             static_cast<double>(layer.tried) / layer.seconds));
    print_line(fmt::format("  fitting      loss {:.5f} -> {:.5f}  accuracy {} -> {}", report.fitting_before.loss,
                           report.fitting_after.loss, percent_of(report.fitting_before.accuracy),
                           percent_of(report.fitting_after.accuracy)));
    print_line(fmt::format("  held out     loss {:.5f}  accuracy {}{}", report.held_out.loss,
                           percent_of(report.held_out.accuracy), report.is_best ? "  best so far" : ""));
  }

  void print(const RefineResult& result) const {
    fmt::print("\n{}, step {} -> {}\n", file_, format_count(result.step), out_);
    if (result.best_sweep == 0)
      fmt::print("no sweep helped on the held-out examples: the gates stay as they were\n");
    else
      fmt::print("kept: sweep {} of {}; {} moves changed {} gates\n", result.best_sweep, result.sweeps,
                 format_count(result.moves), format_count(result.changed_gates));
    fmt::print("gates that are neither constant nor a wire: {} -> {}\n", format_count(result.working_gates_before),
               format_count(result.working_gates_after));
    fmt::print("on {} held-out examples:\n", format_count(result.judged_examples));
    fmt::print("  loss     {:.5f} -> {:.5f}   {:+.5f} (standard error {:.5f})\n", result.before.loss, result.after.loss,
               result.change.loss, result.change.loss_error);
    fmt::print("  accuracy {} -> {}   {:+.2f} points (standard error {:.2f})\n", percent_of(result.before.accuracy),
               percent_of(result.after.accuracy), 100 * result.change.accuracy, 100 * result.change.accuracy_error);
    fmt::print("  {} of {} predictions agree\n", format_count(result.change.agreeing),
               format_count(result.judged_examples));
  }

  void print_json(const RefineResult& result) const {
    const auto risk = [](const Risk& r) { return nlohmann::json{{"loss", r.loss}, {"accuracy", r.accuracy}}; };
    nlohmann::json sweeps = nlohmann::json::array();
    for (const SweepReport& report : reports_) {
      nlohmann::json layers = nlohmann::json::array();
      for (const LayerSweep& layer : report.layers)
        layers.push_back(
            {{"layer", layer.layer}, {"tried", layer.tried}, {"accepted", layer.accepted}, {"seconds", layer.seconds}});
      sweeps.push_back({{"sweep", report.sweep},
                        {"layers", layers},
                        {"fitting_before", risk(report.fitting_before)},
                        {"fitting_after", risk(report.fitting_after)},
                        {"held_out", risk(report.held_out)},
                        {"working_gates", report.working_gates},
                        {"is_best", report.is_best},
                        {"seconds", report.seconds}});
    }
    const nlohmann::json object = {
        {"checkpoint", file_},
        {"out", out_},
        {"objective", params_.settings.objective},
        {"sweeps", sweeps},
        {"best_sweep", result.best_sweep},
        {"moves", result.moves},
        {"changed_gates", result.changed_gates},
        {"working_gates", {{"before", result.working_gates_before}, {"after", result.working_gates_after}}},
        {"held_out",
         {{"examples", result.judged_examples},
          {"before", risk(result.before)},
          {"after", risk(result.after)},
          {"loss_change", result.change.loss},
          {"loss_error", result.change.loss_error},
          {"accuracy_change", result.change.accuracy},
          {"accuracy_error", result.change.accuracy_error},
          {"agreeing", result.change.agreeing}}}};
    fmt::print("{}\n", object.dump(2));
  }

  std::string file_, out_;
  RefineParams params_;
  std::vector<double> significance_;
  double memory_ = 4;
  bool json_ = false;
  std::vector<SweepReport> reports_;
  DataRootOption data_root_;
  ThreadsOption threads_;
  SimdOption simd_;
  RankTimeoutOption rank_timeout_;
};

}  // namespace

std::unique_ptr<Command> make_refine() {
  return std::make_unique<Refine>();
}

}  // namespace firn::cli
