#include "firn/cli/commands/train.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/simd_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/on_ranks.h"
#include "firn/cli/print_line.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/study/preset.h"
#include "firn/study/session.h"
#include "firn/study/start.h"
#include "firn/study/warnings.h"
#include "firn/study/words.h"
#include "firn/train/rank_agreement.h"

namespace firn::cli {
namespace {

// Everything that is said goes to the terminal and, as it stands, to the run's log.
class Log {
 public:
  explicit Log(const std::filesystem::path& file) : file_(file, std::ios::app) {}
  void say(std::string_view line) {
    print_line(line);
    file_ << line << '\n' << std::flush;
  }

 private:
  std::ofstream file_;
};

class Train final : public Command {
 public:
  void add_options(Options& options) override {
    options
        .add("CONFIG", config_file_,
             "Configuration in TOML, or the name of a preset; may be left out with --resume or --from")
        .type_name("");
    sets_.add_to(options);
    out_option_ = options.add("--out", out_, "Run folder; else runs/NAME").type_name("FOLDER");
    options.add_flag("--resume", resume_, "Continue the run in the folder, bit for bit");
    options.add_flag("--wait", wait_, "Wait while another process uses the folder, instead of giving up");
    options.add("--from", from_, "Start from this checkpoint of another run, in a folder of its own").type_name("FILE");
    data_root_.add_to(options);
    threads_.add_to(options);
    simd_.add_to(options);
    rank_timeout_.add_to(options);
  }

  int run() override {
    check_options();
    simd_.apply();
    return run_on_ranks(rank_timeout_.seconds(), [&](Ranks& ranks) { return run(ranks); });
  }

 private:
  int run(Ranks& ranks) {
    std::optional<Checkpoint> from;
    if (!from_.empty()) from = read_for_all(from_, ranks);
    const std::string named_config = config_file_;
    const Config config = load(from, ranks);
    const RunFolder folder(out_.empty() ? "runs/" + config.name : out_);
    if (!resume_ && ranks.is_first() && folder.holds_run())
      throw Error(fmt::format("{} already holds a run; continue it with --resume, or choose another folder with --out",
                              folder.path().string()));
    StartParams params{.data_root = data_root_.resolve(),
                       .config_file = named_config,
                       .resume = resume_,
                       .from = from ? &*from : nullptr};
    std::vector<std::string> warnings;
    params.on_warning = [&](std::string_view warning) { warnings.emplace_back(warning); };
    const InterruptGuard guard;
    if (wait_) params.wait = [&] { return !guard.interrupted(); };
    Threads threads(threads_.count());
    const std::unique_ptr<Run> run = start_run(config, folder, params, threads, ranks);
    if (!ranks.is_first()) return follow(*run, folder, guard);
    Log log(folder.log());
    for (const std::string& warning : warnings) log.say(warning);
    say_what_starts(*run, folder, threads.count(), log);
    if (!train(*run, folder, guard, log)) return guard.exit_code();
    report(*run, folder, log);
    return kDone;
  }

  // What ranks other than the first one do: the same, in silence.
  static int follow(Run& run, const RunFolder& folder, const InterruptGuard& guard) {
    TrainObserver observer;
    observer.cancelled = [&] { return guard.interrupted(); };
    if (!run.train(folder, observer)) return guard.exit_code();
    run.test(folder);
    return kDone;
  }

  void check_options() const {
    if (out_option_.given() && out_.empty()) throw UsageError("--out needs the name of a folder");
    if (!from_.empty() && resume_)
      throw UsageError("--from starts a run and --resume continues one; a run that was started needs --resume only");
    if (!from_.empty() && out_.empty())
      throw UsageError("--from starts a run of its own; name a folder for it with --out");
    if (config_file_.empty() && from_.empty() && (!resume_ || out_.empty()))
      throw UsageError("name a configuration, or a run folder with --resume --out FOLDER");
  }

  Config load(const std::optional<Checkpoint>& from, Ranks& ranks) {
    if (from && config_file_.empty()) return config_of(*from, sets_.overrides());
    Config config = config_file_.empty() ? config_in_folder(ranks) : load_named_config(config_file_, sets_.overrides());
    if (config.name.empty()) config.name = std::filesystem::path(config_file_).stem().string();
    return config;
  }

  // Only rank 0 needs to see the folder.
  Config config_in_folder(Ranks& ranks) {
    config_file_ = out_ + "/config.toml";
    if (ranks.is_first() && !std::filesystem::exists(config_file_))
      throw Error(fmt::format("{} holds no run that could be resumed; check --out, or name a configuration", out_));
    const std::string text = ranks.broadcast(ranks.is_first() ? read_text(config_file_) : "");
    return parse_config(text, config_file_, sets_.overrides());
  }

  void say_what_starts(const Run& run, const RunFolder& folder, int threads, Log& log) const {
    const Config& config = run.config();
    const Experiment& experiment = run.experiment();
    if (resume_ && run.step() == 0)
      log.say(fmt::format("{} holds no checkpoint yet; starting from step 1", folder.path().string()));
    log.say(fmt::format("{}: {} logits, {} training and {} validation {}, {}; run folder {}", config.name,
                        format_count(experiment.model->parameters()), format_count(experiment.split.train.size()),
                        format_count(experiment.split.validation.size()),
                        examples_word(experiment.encoder.input_shape()), where(run.ranks(), threads),
                        folder.path().string()));
    for (const std::string& warning : warnings_about(config, experiment)) log.say("note: " + warning);
    if (resume_ && run.step() > 0) log.say(fmt::format("resuming after step {}", format_count(run.step())));
    if (!from_.empty()) log.say(fmt::format("starting from {}, after step {}", from_, format_count(run.step())));
  }

  static std::string where(const Ranks& ranks, int threads) {
    return ranks.is_alone() ? fmt::format("{} threads", threads)
                            : fmt::format("{} ranks, {} threads on this one", ranks.size(), threads);
  }

  static bool train(Run& run, const RunFolder& folder, const InterruptGuard& guard, Log& log) {
    const auto clock = seconds_since_start_of_clock;
    Progress progress("step", run.config().train.steps, clock, run.step());
    std::optional<ProgressPrinter> printer(std::in_place, error_stream(), clock);
    TrainObserver observer;
    observer.on_step = [&](std::uint64_t step, double loss, std::optional<double> accuracy) {
      progress.update(step);
      std::string extra = fmt::format("loss {:.4f}", loss);
      if (accuracy) extra += fmt::format("  discrete {:.2f} %", 100 * *accuracy);
      printer->show(progress, extra);
    };
    observer.on_metrics = [&](const Metrics& metrics) {
      printer.emplace(error_stream(), clock);
      log.say(to_line(metrics));
    };
    observer.cancelled = [&] { return guard.interrupted(); };
    const bool complete = run.train(folder, observer);
    printer.reset();
    const Trainer& trainer = run.trainer();
    if (complete && trainer.is_out_of_patience())
      log.say(
          fmt::format("stopped after step {}: the discrete validation loss has not fallen for {} evaluations; the "
                      "result is step {} with {:.4f}",
                      format_count(run.step()), run.config().train.patience, format_count(trainer.best_step()),
                      trainer.best_loss()));
    if (!complete)
      log.say(fmt::format("stopped after step {}; go on with: firn train --resume --out {}", format_count(run.step()),
                          folder.path().string()));
    return complete;
  }

  static void report(Run& run, const RunFolder& folder, Log& log) {
    const std::optional<TestResult> result = run.test(folder);
    if (!result) {
      const std::string last = folder.last().string();
      return log.say(
          fmt::format("the data have no test set, so there is nothing to report\nNext: firn eval {} --split val    "
                      "firn compile {} -o {}.firn",
                      last, last, run.config().name));
    }
    constexpr auto kRight = TextTable::Align::kRight;
    const bool of_values = result->last.discrete.r2.has_value();
    TextTable table({{"checkpoint"},
                     {"step", kRight},
                     {of_values ? "relaxed test R2" : "relaxed test", kRight},
                     {of_values ? "discrete test R2" : "discrete test", kRight},
                     {"discrete loss", kRight}});
    const auto show = [](const Risk& risk) {
      return risk.r2 ? fmt::format("{:.4f}", *risk.r2) : fmt::format("{:.2f} %", 100 * risk.accuracy);
    };
    const auto add = [&](const char* name, const TestRow& row) {
      table.add({name, format_count(row.step), show(row.relaxed), show(row.discrete),
                 fmt::format("{:.4f}", row.discrete.loss)});
    };
    add("last", result->last);
    if (result->best) add("best", *result->best);
    log.say("\n" + table.str());
    const std::string file = (result->is_best_result ? folder.best() : folder.last()).string();
    log.say(fmt::format("Next: firn eval {} --split test    firn info {}", file, file));
  }

  std::string config_file_, out_, from_;
  Option out_option_;
  bool resume_ = false, wait_ = false;
  SetOption sets_;
  DataRootOption data_root_;
  ThreadsOption threads_;
  SimdOption simd_;
  RankTimeoutOption rank_timeout_;
};

}  // namespace

std::unique_ptr<Command> make_train() {
  return std::make_unique<Train>();
}

}  // namespace firn::cli
