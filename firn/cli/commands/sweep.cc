#include "firn/cli/commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/interrupt.h"
#include "firn/cli/progress.h"
#include "firn/cli/report_hint.h"
#include "firn/study/aggregate.h"
#include "firn/study/config_text.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_file.h"

namespace firn {
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
    options.add_flag("--list", list_, "Only list the runs");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    const SweepFile file = load_sweep(file_);
    const PrefixPlan prefixes = shared_prefix_ ? plan_prefixes(file.runs, [](const Config& c) { return to_toml(c); })
                                               : PrefixPlan{{}, {file.runs.size(), std::nullopt}};
    if (list_) return list(file, prefixes);
    const fs::path folder = out_.empty() ? fs::path("runs") / file.name : fs::path(out_);
    Sweep sweep(file.runs, settings(folder, file.runs.size()), prefixes);
    const bool complete = train(sweep);
    write_runs(file, sweep, folder);
    compare(file, sweep, folder);
    if (complete) return kDone;
    if (failures_ == 0)
      fmt::print("stopped; the same command goes on\n");
    else
      fmt::print(stderr, "firn: {} of the runs failed, see above; the same command tries them again\n", failures_);
    return failures_ == 0 ? kDone : kOutsideWorld;
  }

 private:
  SweepSettings settings(const fs::path& folder, std::size_t runs) const {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int threads = threads_.count() == 0 ? cores : threads_.count();
    const int jobs = std::min(jobs_ == 0 ? threads : jobs_, static_cast<int>(runs));
    return {folder, data_root_.resolve(), jobs, std::max(1, threads / jobs)};
  }

  static int list(const SweepFile& file, const PrefixPlan& prefixes) {
    std::uint64_t steps = 0;
    for (std::size_t r = 0; r < file.runs.size(); ++r) {
      const auto& fork = prefixes.forks[r];
      steps += file.runs[r].written.config.train.steps - (fork ? fork->step : 0);
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

  bool train(Sweep& sweep) {
    const InterruptGuard guard;
    const auto clock = seconds_since_start_of_clock;
    Progress progress("step", sweep.total_steps(), clock, sweep.finished_steps());
    std::optional<ProgressPrinter> printer(std::in_place, error_stream(), clock);
    const std::size_t runs = sweep.runs().size();
    std::size_t done = static_cast<std::size_t>(
        std::ranges::count_if(sweep.results(), [](const auto& result) { return result.has_value(); }));
    if (done > 0) fmt::print("{} of {} runs are finished already\n", done, runs);
    SweepObserver observer;
    observer.on_step = [&](std::uint64_t steps) {
      progress.update(steps);
      printer->show(progress, fmt::format("{}/{} runs", done, runs));
    };
    observer.on_result = [&](const SweepRun& run, const TestResult& result) {
      printer.emplace(error_stream(), clock);
      fmt::print("{:>{}}/{}  {}: {} discrete, {} relaxed, {:.1f} % frozen\n", ++done, std::to_string(runs).size(), runs,
                 run.name, percent(result.last.discrete.accuracy), percent(result.last.relaxed.accuracy),
                 100 * result.last.frozen);
      std::fflush(stdout);
    };
    observer.on_failure = [&](const SweepRun& run, const std::string& error) {
      printer.emplace(error_stream(), clock);
      fmt::print(stderr, "firn: {}: {}\n", run.name, error);
      ++failures_;
    };
    observer.cancelled = [&] { return guard.interrupted(); };
    return sweep.run(observer);
  }

  // One row a point of the grid, tidy, for whoever wants to draw or test.
  static void write_runs(const SweepFile& file, const Sweep& sweep, const fs::path& folder) {
    std::vector<std::string> cells;
    for (const SweepAxis& axis : file.axes) cells.push_back(axis.key);
    for (const char* column : {"run", "step", "relaxed_accuracy", "discrete_accuracy", "discrete_loss", "frozen",
                               "best_step", "best_discrete_accuracy"})
      cells.push_back(column);
    std::string text = csv_row(cells);
    for (const SweepPoint& point : file.points) {
      const auto& result = sweep.results()[point.run];
      if (!result) continue;
      cells.clear();
      for (std::size_t a = 0; a < file.axes.size(); ++a) cells.push_back(file.axes[a].values[point.values[a]]);
      cells.push_back(file.runs[point.run].name);
      const TestRow& last = result->last;
      cells.push_back(std::to_string(last.step));
      for (double value : {last.relaxed.accuracy, last.discrete.accuracy, last.discrete.loss, last.frozen})
        cells.push_back(fmt::format("{:.6g}", value));
      cells.push_back(result->best ? std::to_string(result->best->step) : "");
      cells.push_back(result->best ? fmt::format("{:.6g}", result->best->discrete.accuracy) : "");
      text += csv_row(cells);
    }
    write_file(folder / "runs.csv", text);
  }

  static void compare(const SweepFile& file, const Sweep& sweep, const fs::path& folder) {
    const auto write = [&](const std::string& name, const Comparison& table) {
      write_file(folder / (name + ".txt"), table.text());
      write_file(folder / (name + ".csv"), table.csv());
      write_file(folder / (name + ".md"), table.markdown());
      write_file(folder / (name + ".tex"), table.latex());
    };
    const auto accuracy = [](const TestRow& row) { return 100 * row.discrete.accuracy; };
    const Comparison last = tabulate(file, sweep, [&](const TestResult& r) { return accuracy(r.last); });
    if (last.rows().empty()) return;
    write("table", last);
    const Comparison best =
        tabulate(file, sweep, [&](const TestResult& r) { return accuracy(r.best ? *r.best : r.last); });
    write("best", best);
    const std::size_t seeds = last.at(0, 0).count;
    fmt::print(
        "\ndiscrete test accuracy in % at the last step, mean ± sample standard deviation of {}\n\n{}\n"
        "the same at the step that was best on the validation part\n\n{}\n",
        seeds == 1 ? "one run" : fmt::format("{} runs", seeds), last.text(), best.text());
    fmt::print("Written to {}: table and best as .txt, .csv, .md and .tex; runs.csv has every run\n", folder.string());
    fmt::print("{}\n", report_hint(folder));
  }

  // Rows are the strategies, or the first axis that varies; columns what else varies, but for the seeds, which repeat.
  template <class Measure>
  static Comparison tabulate(const SweepFile& file, const Sweep& sweep, const Measure& measure) {
    std::vector<std::size_t> varying;
    for (std::size_t a = 0; a < file.axes.size(); ++a)
      if (file.axes[a].key != "seed" && file.axes[a].values.size() > 1) varying.push_back(a);
    const auto strategy =
        std::ranges::find_if(varying, [&](std::size_t a) { return file.axes[a].key == "freeze.strategy"; });
    if (strategy != varying.end()) std::rotate(varying.begin(), strategy, strategy + 1);
    Comparison table(varying.empty() ? "run" : file.axes[varying.front()].key);
    for (const SweepPoint& point : file.points) {
      const auto& result = sweep.results()[point.run];
      if (!result) continue;
      std::string row = file.name, column;
      for (std::size_t i = 0; i < varying.size(); ++i) {
        const SweepAxis& axis = file.axes[varying[i]];
        const std::string& value = axis.values[point.values[varying[i]]];
        if (i == 0)
          row = value;
        else
          column += fmt::format("{}{} {}", column.empty() ? "" : ", ", axis.key.substr(axis.key.rfind('.') + 1), value);
      }
      table.add(row, column.empty() ? "accuracy" : column, measure(*result));
    }
    return table;
  }

  std::string file_, out_;
  int jobs_ = 0;
  bool shared_prefix_ = false, list_ = false;
  int failures_ = 0;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
  return std::make_unique<SweepCommand>();
}

}  // namespace firn
