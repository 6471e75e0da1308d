#include "firn/cli/commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/print_line.h"
#include "firn/cli/progress.h"
#include "firn/cli/report_hint.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_tables.h"

namespace firn::cli {
namespace {

namespace fs = std::filesystem;

std::string percent(double fraction) {
  return fmt::format("{:.2f} %", 100 * fraction);
}

class SweepCommand final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("SWEEP", file_, "Sweep in TOML").required().type_name("");
    options.add("--out", out_, "Folder of the sweep; else runs/NAME. Finished runs in it are not repeated")
        .type_name("FOLDER");
    options.add("--jobs", jobs_, "Runs at a time, which share the threads; 0 means one for each thread")
        .between(0, 1024)
        .type_name("N");
    options.add_flag("--shared-prefix", shared_prefix_,
                     "Train what runs have in common up to the freeze start only once");
    options.add_flag("--wait", wait_, "Wait while another process uses the folder, instead of giving up");
    options.add_flag("--list", list_, "Only list the runs");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    const SweepFile file = load_sweep(file_);
    const PrefixPlan prefixes =
        shared_prefix_ ? plan_prefixes(file.runs) : PrefixPlan{{}, {file.runs.size(), std::nullopt}};
    if (list_) return list(file, prefixes);
    const fs::path folder = out_.empty() ? fs::path("runs") / file.name : fs::path(out_);
    const InterruptGuard guard;
    SweepSettings settings = settings_for(folder, file.runs.size());
    if (wait_) settings.wait = [&] { return !guard.interrupted(); };
    Sweep sweep(file.runs, settings, prefixes);
    const bool complete = train(sweep, guard);
    print_tables(write_sweep_tables(file, sweep, folder), folder);
    if (complete) return kDone;
    if (failures_ == 0)
      print_line("stopped; the same command goes on");
    else
      fmt::print(stderr, "firn: {} of the runs failed, see above; the same command tries them again\n", failures_);
    return failures_ == 0 ? guard.exit_code() : kOutsideWorld;
  }

 private:
  SweepSettings settings_for(const fs::path& folder, std::size_t runs) const {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int threads = threads_.count() == 0 ? cores : threads_.count();
    const int jobs = std::min(jobs_ == 0 ? threads : jobs_, static_cast<int>(runs));
    return {folder, data_root_.resolve(), jobs, std::max(1, threads / jobs)};
  }

  static int list(const SweepFile& file, const PrefixPlan& prefixes) {
    std::uint64_t steps = 0;
    for (std::size_t r = 0; r < file.runs.size(); ++r) {
      const auto& fork = prefixes.forks[r];
      steps += file.runs[r].config.train.steps - (fork ? fork->step : 0);
      fmt::print("{}{}\n", file.runs[r].name,
                 fork ? fmt::format("  (from step {} of {})", format_count(fork->step),
                                    prefixes.prefixes[fork->prefix].run.name)
                      : "");
    }
    for (const Prefix& prefix : prefixes.prefixes) steps += prefix.forks.back();
    fmt::print("{} runs, {} shared beginnings, {} steps in all\n", file.runs.size(), prefixes.prefixes.size(),
               format_count(steps));
    return kDone;
  }

  bool train(Sweep& sweep, const InterruptGuard& guard) {
    const auto clock = seconds_since_start_of_clock;
    Progress progress("step", sweep.total_steps(), clock, sweep.finished_steps());
    std::optional<ProgressPrinter> printer(std::in_place, error_stream(), clock);
    const std::size_t runs = sweep.runs().size();
    std::size_t done = static_cast<std::size_t>(
        std::ranges::count_if(sweep.results(), [](const auto& result) { return result.has_value(); }));
    if (done > 0) print_line(fmt::format("{} of {} runs are finished already", done, runs));
    SweepObserver observer;
    observer.on_step = [&](std::uint64_t steps) {
      progress.update(steps);
      printer->show(progress, fmt::format("{}/{} runs", done, runs));
    };
    observer.on_result = [&](const SweepRun& run, const TestResult& result) {
      printer.emplace(error_stream(), clock);
      print_line(fmt::format("{:>{}}/{}  {}: {} discrete, {} relaxed, {:.1f} % frozen", ++done,
                             std::to_string(runs).size(), runs, run.name, percent(result.last.discrete.accuracy),
                             percent(result.last.relaxed.accuracy), 100 * result.last.frozen));
    };
    observer.on_failure = [&](const SweepRun& run, const std::string& error) {
      printer.emplace(error_stream(), clock);
      fmt::print(stderr, "firn: {}: {}\n", run.name, error);
      ++failures_;
    };
    observer.cancelled = [&] { return guard.interrupted(); };
    return sweep.run(observer);
  }

  static void print_tables(const SweepTables& tables, const fs::path& folder) {
    if (tables.last.rows().empty()) return;
    const std::size_t seeds = tables.last.at(0, 0).count;
    fmt::print(
        "\ndiscrete test accuracy in % at the last step, mean ± sample standard deviation of {}\n\n{}\n"
        "the same at the step that was best on the validation set\n\n{}\n",
        seeds == 1 ? "one run" : fmt::format("{} runs", seeds), tables.last.text(), tables.best.text());
    fmt::print("Written to {}: table and best as .txt, .csv, .md and .tex; runs.csv has every run\n", folder.string());
    fmt::print("{}\n", report_hint(folder));
  }

  std::string file_, out_;
  int jobs_ = 0;
  bool shared_prefix_ = false, list_ = false, wait_ = false;
  int failures_ = 0;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
  return std::make_unique<SweepCommand>();
}

}  // namespace firn::cli
