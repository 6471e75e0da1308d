#include "firn/cli/commands/train.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/study/preset.h"
#include "firn/study/run.h"
#include "firn/study/session.h"

namespace firn {
namespace {

// Everything that is said goes to the terminal and, as it stands, to the run's log.
class Log {
 public:
  explicit Log(const std::filesystem::path& file) : file_(file, std::ios::app) {}
  void say(std::string_view line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
    file_ << line << '\n' << std::flush;
  }

 private:
  std::ofstream file_;
};

class Train final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CONFIG", config_file_, "Configuration in TOML; may be left out with --resume").type_name("");
    sets_.add_to(options);
    out_option_ = options.add("--out", out_, "Run folder; else runs/NAME").type_name("FOLDER");
    options.add_flag("--resume", resume_, "Continue the run in the folder, bit for bit");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    const Config config = load();
    const RunFolder folder(out_.empty() ? "runs/" + config.name : out_, resume_);
    Log log(folder.log());
    Threads threads(threads_.count());
    std::optional<Checkpoint> checkpoint;
    if (resume_) checkpoint = folder.newest([&](std::string_view warning) { log.say(warning); });
    if (resume_ && !checkpoint)
      log.say(fmt::format("{} holds no checkpoint yet; starting from step 1", folder.path().string()));

    Run run({config, to_toml(config)}, data_root_.resolve(), threads);
    if (checkpoint) {
      check_same_run(*checkpoint, config);
      run.resume(*checkpoint);
    }
    write_file(folder.config(), to_toml(config));  // a longer run stays longer when it is resumed again
    const Experiment& experiment = run.experiment();
    log.say(fmt::format("{}: {} logits, {} training and {} validation images, {} threads; run folder {}", config.name,
                        format_count(experiment.model->parameters()), format_count(experiment.split.train.size()),
                        format_count(experiment.split.validation.size()), threads.count(), folder.path().string()));
    if (config.freeze.strategy != "final-argmax" && config.freeze.start >= config.train.steps)
      log.say(
          fmt::format("note: freeze.start = {} is not before the last step, so the strategy \"{}\" never acts and no "
                      "step is the best",
                      config.freeze.start, config.freeze.strategy));
    if (checkpoint) log.say(fmt::format("resuming after step {}", format_count(run.step())));
    if (train(run, folder, log)) report(run, folder, log);
    return kDone;
  }

 private:
  Config load() {
    if (out_option_.given() && out_.empty()) throw UsageError("--out needs the name of a folder");
    if (config_file_.empty()) {
      if (!resume_ || out_.empty())
        throw UsageError("name a configuration, or a run folder with --resume --out FOLDER");
      config_file_ = out_ + "/config.toml";
      if (!std::filesystem::exists(config_file_))
        throw Error(fmt::format("{} holds no run that could be resumed; check --out, or name a configuration", out_));
    }
    Config config = load_config(preset_file(config_file_), sets_.overrides());
    if (config.name.empty()) config.name = std::filesystem::path(config_file_).stem().string();
    return config;
  }

  // Only what cannot change results, or makes the run longer, may differ between the parts of a run.
  static void check_same_run(const Checkpoint& checkpoint, const Config& now) {
    Config before = config_of(checkpoint);
    if (checkpoint.header().step > now.train.steps)
      throw Error(fmt::format("{} is after step {} already; train.steps = {} would be before it", checkpoint.source(),
                              checkpoint.header().step, now.train.steps));
    before.name = now.name;
    if (now.freeze.strategy != "annealed") before.train.steps = now.train.steps;
    before.train.eval_every = now.train.eval_every;
    before.train.checkpoint_every = now.train.checkpoint_every;
    before.train.checkpoint_minutes = now.train.checkpoint_minutes;
    before.train.keep_at = now.train.keep_at;
    if (to_toml(before) != to_toml(now))
      throw Error(fmt::format("{} was made with another configuration; resume with the config.toml beside it",
                              checkpoint.source()));
  }

  static bool train(Run& run, const RunFolder& folder, Log& log) {
    const InterruptGuard guard;
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
    if (!complete)
      log.say(fmt::format("stopped after step {}; go on with: firn train --resume --out {}", format_count(run.step()),
                          folder.path().string()));
    return complete;
  }

  static void report(Run& run, const RunFolder& folder, Log& log) {
    const std::optional<TestResult> result = run.test(folder);
    if (!result) return log.say("the data have no test part; nothing to report");
    constexpr auto kRight = TextTable::Align::kRight;
    TextTable table({{"checkpoint"},
                     {"step", kRight},
                     {"relaxed test", kRight},
                     {"discrete test", kRight},
                     {"discrete loss", kRight}});
    const auto add = [&](const char* name, const TestRow& row) {
      table.add({name, format_count(row.step), fmt::format("{:.2f} %", 100 * row.relaxed.accuracy),
                 fmt::format("{:.2f} %", 100 * row.discrete.accuracy), fmt::format("{:.4f}", row.discrete.loss)});
    };
    add("last", result->last);
    if (result->best) add("best", *result->best);
    log.say("\n" + table.str());
    log.say(
        fmt::format("Next: firn eval {} --split test    firn info {}", folder.last().string(), folder.last().string()));
  }

  std::string config_file_, out_;
  Option out_option_;
  bool resume_ = false;
  SetOption sets_;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_train() {
  return std::make_unique<Train>();
}

}  // namespace firn
