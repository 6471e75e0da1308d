#include "firn/cli/commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/printable.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/simd_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/print_line.h"
#include "firn/cli/progress.h"
#include "firn/cli/report_hint.h"
#include "firn/cli/usage_error.h"
#include "firn/study/shared_sweep.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_status.h"
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
    options.add_flag("--worker", worker_,
                     "Work on the sweep together with other processes, on any machines that see the folder");
    options
        .add("--silence", sharing_.silence,
             "With --worker: seconds after which others take over from one that is silent")
        .between(0.5, 86400.0)
        .type_name("SECONDS")
        .show_default();
    options.add("--retries", sharing_.retries, "With --worker: how often a run that has failed is tried again")
        .between(0, 1000)
        .type_name("N")
        .show_default();
    options.add_flag("--forget-failures", sharing_.forget_failures, "With --worker: try again what was given up");
    options.add_flag("--status", status_,
                     "Only show what the workers in the folder are doing, and when they will be done");
    options.add_flag("--json", json_, "With --status: as JSON, for programs");
    options.add_flag("--list", list_, "Only list the runs");
    data_root_.add_to(options);
    threads_.add_to(options);
    simd_.add_to(options);
  }

  int run() override {
    if (json_ && !status_) throw UsageError("--json needs --status");
    if (sharing_.forget_failures && !worker_) throw UsageError("--forget-failures needs --worker");
    simd_.apply();
    const SweepFile file = load_sweep(file_);
    const PrefixPlan prefixes =
        shared_prefix_ ? plan_prefixes(file.runs) : PrefixPlan{{}, {file.runs.size(), std::nullopt}};
    if (list_) return list(file, prefixes);
    const fs::path folder = out_.empty() ? fs::path("runs") / file.name : fs::path(out_);
    if (status_) return show_status(SweepBoard(file.runs, prefixes, folder));
    check_sweep_tables(folder, file_, file, data_root_.resolve());
    const InterruptGuard guard;
    SweepSettings settings = settings_for(folder, file.runs.size());
    if (wait_) settings.wait = [&] { return !guard.interrupted(); };
    if (worker_) return work(file, settings, prefixes, guard);
    Sweep sweep(file.runs, settings, prefixes);
    const bool complete = train(sweep, guard);
    print_tables(write_sweep_tables(file, sweep.results(), folder), folder);
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
    std::size_t done = count_results(sweep.results());
    if (done > 0) print_line(fmt::format("{} of {} runs are finished already", done, runs));
    SweepObserver observer;
    observer.on_step = [&](std::uint64_t steps) {
      progress.update(steps);
      printer->show(progress, fmt::format("{}/{} runs", done, runs));
    };
    observer.on_result = [&](const SweepRun& run, const TestResult& result) {
      printer.emplace(error_stream(), clock);
      print_result(run, result, ++done, runs);
    };
    observer.on_failure = [&](const SweepRun& run, const std::string& error) {
      printer.emplace(error_stream(), clock);
      print_failure(fmt::format("{}: {}", run.name, error));
      ++failures_;
    };
    observer.cancelled = [&] { return guard.interrupted(); };
    return sweep.run(observer);
  }

  // The part of this process in a sweep that others work on, too.
  int work(const SweepFile& file, const SweepSettings& settings, const PrefixPlan& prefixes,
           const InterruptGuard& guard) const {
    SharedSweep sweep(file.runs, settings, prefixes, sharing_);
    const std::size_t runs = file.runs.size();
    if (const std::size_t done = count_results(sweep.board().results()))
      print_line(fmt::format("{} of {} runs are finished already", done, runs));
    const auto clock = seconds_since_start_of_clock;
    Progress progress("step", sweep.board().total_steps(), clock);
    std::optional<ProgressPrinter> printer(std::in_place, error_stream(), clock);
    SweepObserver observer;
    observer.on_step = [&](std::uint64_t steps) {
      progress.update(steps);
      printer->show(progress);
    };
    observer.on_result = [&](const SweepRun& run, const TestResult& result) {
      printer.emplace(error_stream(), clock);
      print_result(run, result, count_results(sweep.board().results()), runs);
    };
    observer.on_failure = [&](const SweepRun& run, const std::string& error) {
      printer.emplace(error_stream(), clock);
      print_failure(fmt::format("{}: {}", run.name, error));
    };
    observer.cancelled = [&] { return guard.interrupted(); };
    bool is_waiting = false;
    SharingObserver sharing;
    sharing.on_start = [&](const TaskStart& start) {
      printer.emplace(error_stream(), clock);
      print_line(fmt::format("begins {}{}{}", start.is_prefix ? "the shared beginning " : "", start.run.name,
                             start.attempt == 1 ? "" : fmt::format(", attempt {}", start.attempt)));
      is_waiting = false;
    };
    sharing.on_wait = [&] {
      if (!std::exchange(is_waiting, true)) print_line("waits for what others are doing");
    };
    const bool complete = sweep.run(observer, sharing);
    printer.reset();
    if (!complete && guard.interrupted()) {
      print_line("stopped; others go on, and so does the same command");
      return guard.exit_code();
    }
    print_tables(share_sweep_tables(file, sweep.board().results(), settings.folder, sweep.worker()), settings.folder);
    if (complete) return kDone;
    for (const TaskFailure& failure : sweep.failures())
      print_failure(fmt::format("{} was given up after {}: {}", sweep.board().run_of(failure.task).name,
                                failure.tries == 1 ? "one try" : fmt::format("{} tries", failure.tries),
                                failure.error));
    fmt::print(stderr, "firn: some of the runs failed; --forget-failures tries them again\n");
    return kOutsideWorld;
  }

  int show_status(const SweepBoard& board) const {
    if (!fs::is_directory(board.folder()))
      throw Error(fmt::format("{} is not a directory; nobody has begun with this sweep, or it has another folder",
                              board.folder().string()));
    WorkerWatch watch(board.folder());
    listen_to_workers(watch);
    const SweepStatus status = sweep_status(board, watch, sharing_.retries);
    if (json_)
      fmt::print("{}\n", to_json(status).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    else
      fmt::print("{}", printable_lines(describe(status, board.folder())));
    return kDone;
  }

  static std::string describe(const SweepStatus& status, const fs::path& folder) {
    const auto counts = [&](bool of_prefixes) {
      std::string text;
      for (const TaskState state :
           {TaskState::kDone, TaskState::kRunning, TaskState::kLeft, TaskState::kWaiting, TaskState::kGivenUp})
        if (const std::size_t count = status.count(state, of_prefixes))
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
      return text;
    };
    std::string text = fmt::format("{}: runs: {}\n", folder.string(), counts(false));
    if (const std::string prefixes = counts(true); !prefixes.empty())
      text += fmt::format("shared beginnings: {}\n", prefixes);
    if (!status.workers.empty()) text += "\n" + describe_workers(status);
    for (const TaskStatus& task : status.tasks)
      if (task.failures > 0)
        text += fmt::format("{} has failed {}: {}\n", task.name,
                            task.failures == 1 ? "once" : fmt::format("{} times", task.failures), task.error);
    if (status.seconds_left)
      text += fmt::format("\n{} steps left at {:.1f} steps/s: done in about {}\n", format_count(status.steps_left),
                          status.rate, format_duration(*status.seconds_left));
    else if (status.steps_left > 0)
      text += fmt::format("\n{} steps left, and nobody is training\n", format_count(status.steps_left));
    return text;
  }

  static std::string describe_workers(const SweepStatus& status) {
    constexpr auto kRight = TextTable::Align::kRight;
    TextTable table({{"worker"}, {"does"}, {"step", kRight}, {"of", kRight}, {"steps/s", kRight}, {"sign of life"}});
    for (const WorkerWatch::Seen& worker : status.workers) {
      const WorkerState& state = worker.state;
      const bool trains = !state.task.empty();
      const std::string quiet = format_duration(worker.quiet);
      table.add({state.name, trains ? fs::path(state.task).filename().string() : "waits",
                 trains ? format_count(state.step) : "", trains ? format_count(state.steps) : "",
                 trains ? fmt::format("{:.1f}", state.rate) : "",
                 worker.is_gone     ? "gone"
                 : worker.was_heard ? fmt::format("{} ago", quiet)
                                    : fmt::format("none for {}", quiet)});
    }
    return table.str();
  }

  static std::size_t count_results(const std::vector<std::optional<TestResult>>& results) {
    return static_cast<std::size_t>(
        std::ranges::count_if(results, [](const auto& result) { return result.has_value(); }));
  }

  static void print_result(const SweepRun& run, const TestResult& result, std::size_t done, std::size_t runs) {
    print_line(fmt::format("{:>{}}/{}  {}: {} discrete, {} relaxed, {:.1f} % frozen", done, std::to_string(runs).size(),
                           runs, run.name, percent(result.last.discrete.accuracy),
                           percent(result.last.relaxed.accuracy), 100 * result.last.frozen));
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
  bool shared_prefix_ = false, list_ = false, wait_ = false, worker_ = false, status_ = false, json_ = false;
  SharingSettings sharing_;
  int failures_ = 0;
  DataRootOption data_root_;
  ThreadsOption threads_;
  SimdOption simd_;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
  return std::make_unique<SweepCommand>();
}

}  // namespace firn::cli
