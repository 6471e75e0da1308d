#include "firn/cli/commands/train.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/preset.h"
#include "firn/cli/progress.h"
#include "firn/cli/session.h"
#include "firn/cli/usage_error.h"

namespace firn {
namespace {

std::atomic<bool> interrupted = false;

// SIGINT and SIGTERM ask the loop to stop after the current step; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, handle);
  }
  ~InterruptGuard() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }

 private:
  static void handle(int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL);
  }
};

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
  void add_options(CLI::App& app) override {
    app.add_option("CONFIG", config_file_, "Configuration in TOML; may be left out with --resume")->type_name("");
    sets_.add_to(app);
    app.add_option("--out", out_, "Run folder; else runs/NAME")->type_name("FOLDER");
    app.add_flag("--resume", resume_, "Continue the run in the folder, bit for bit");
    data_root_.add_to(app);
    threads_.add_to(app);
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

    Experiment experiment = make_experiment(experiment_settings(config, data_root_.resolve()), config.train.loss);
    Policies policies(config, *experiment.model, threads);
    Trainer trainer(experiment, setup(config, policies), threads);
    if (checkpoint) {
      check_same_run(*checkpoint, config);
      trainer.restore(*checkpoint);
    } else {
      write_file(folder.config(), to_toml(config));
    }
    log.say(fmt::format("{}: {} logits, {} training and {} validation images, {} threads; run folder {}", config.name,
                        format_count(experiment.model->parameters()), format_count(experiment.split.train.size()),
                        format_count(experiment.split.validation.size()), threads.count(), folder.path().string()));
    if (config.freeze.strategy != "final-argmax" && config.freeze.start >= config.train.steps)
      log.say(
          fmt::format("note: freeze.start = {} is not before the last step, so the strategy \"{}\" never acts and no "
                      "step is the best",
                      config.freeze.start, config.freeze.strategy));
    if (checkpoint) log.say(fmt::format("resuming after step {}", format_count(trainer.step())));
    CsvWriter freezes = folder.open_freezes(trainer.step());
    policies.freezer().on_freeze = [&freezes](const FreezeEvent& event) {
      freezes.add({std::to_string(event.step), event.layer, std::to_string(event.neuron), std::to_string(event.slot),
                   std::to_string(static_cast<int>(event.gate)), fmt::format("{:.9g}", event.score),
                   fmt::format("{:.6g}", event.entropy)});
    };
    if (!train(trainer, config, folder, log)) return kDone;
    report(config, experiment, folder, threads, log);
    return kDone;
  }

 private:
  Config load() {
    if (config_file_.empty()) {
      if (!resume_ || out_.empty())
        throw UsageError("name a configuration, or a run folder with --resume --out FOLDER");
      config_file_ = out_ + "/config.toml";
    }
    Config config = load_config(preset_file(config_file_), sets_.overrides());
    if (config.name.empty()) config.name = std::filesystem::path(config_file_).stem().string();
    return config;
  }

  static Trainer::Setup setup(const Config& config, Policies& policies) {
    Trainer::Setup setup{
        .settings = config.train, .config = to_toml(config), .seed = config.seed, .augment = config.data.augment};
    setup.hooks = policies.hooks();
    setup.scope = policies.freezer().scope();
    setup.best_from = config.freeze.start;
    setup.take_resampled = [&policies] { return policies.take_resampled(); };
    return setup;
  }

  // Only what cannot change results, or makes the run longer, may differ between the parts of a run.
  static void check_same_run(const Checkpoint& checkpoint, const Config& now) {
    Config before = parse_config(checkpoint.header().config, fmt::format("configuration in {}", checkpoint.source()));
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

  static bool train(Trainer& trainer, const Config& config, const RunFolder& folder, Log& log) {
    InterruptGuard guard;
    const auto clock = seconds_since_start_of_clock;
    Progress progress("step", config.train.steps, clock, trainer.step());
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
    observer.cancelled = [] { return interrupted.load(); };
    const bool complete = trainer.run(folder, observer);
    printer.reset();
    if (!complete)
      log.say(fmt::format("stopped after step {}; go on with: firn train --resume --out {}",
                          format_count(trainer.step()), folder.path().string()));
    return complete;
  }

  // The test part is looked at here, once: for the last step, which is the result, and for the best one.
  static void report(const Config& config, Experiment& experiment, const RunFolder& folder, Threads& threads,
                     Log& log) {
    const Examples& test = experiment.data.test;
    if (test.count() == 0) return log.say("the data have no test part; nothing to report");
    nlohmann::json result = {{"name", config.name}, {"seed", config.seed}};
    constexpr auto kRight = TextTable::Align::kRight;
    TextTable table({{"checkpoint"},
                     {"step", kRight},
                     {"relaxed test", kRight},
                     {"discrete test", kRight},
                     {"discrete loss", kRight}});
    Evaluator evaluator(*experiment.model, experiment.encoder, loss_from_name(config.train.loss),
                        config.train.temperature, experiment.classes(), threads);
    const auto indices = all_indices(test.count());
    for (const auto& [name, file] : {std::pair{"last", folder.last()}, std::pair{"best", folder.best()}}) {
      if (!std::filesystem::exists(file)) continue;
      const Checkpoint checkpoint = Checkpoint::read(file);
      restore_model(checkpoint, *experiment.model);
      const Evaluation relaxed = evaluator.run(test, indices, EvaluationMode::kRelaxed);
      const Evaluation discrete = evaluator.run(test, indices, EvaluationMode::kDiscrete);
      const std::uint64_t step = checkpoint.header().step;
      table.add({name, format_count(step), fmt::format("{:.2f} %", 100 * relaxed.accuracy()),
                 fmt::format("{:.2f} %", 100 * discrete.accuracy()), fmt::format("{:.4f}", discrete.loss())});
      result[name] = {{"step", step},
                      {"images", test.count()},
                      {"relaxed_accuracy", relaxed.accuracy()},
                      {"relaxed_loss", relaxed.loss()},
                      {"discrete_accuracy", discrete.accuracy()},
                      {"discrete_loss", discrete.loss()}};
    }
    write_file(folder.result(), result.dump(2) + "\n");
    log.say("\n" + table.str());
    log.say(
        fmt::format("Next: firn eval {} --split test    firn info {}", folder.last().string(), folder.last().string()));
  }

  std::string config_file_, out_;
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
