#include "firn/api/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <thread>

#include "firn/base/file.h"
#include "firn/base/folder_name.h"
#include "firn/data/source.h"
#include "firn/report/gather.h"
#include "firn/report/page.h"
#include "firn/study/answer_checkpoint.h"
#include "firn/study/circuit_source.h"
#include "firn/study/compare.h"
#include "firn/study/output_file.h"
#include "firn/study/session.h"
#include "firn/study/shared_sweep.h"
#include "firn/study/sweep.h"
#include "firn/study/sweep_status.h"
#include "firn/study/sweep_tables.h"

namespace firn::api {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReportExamples = 2000;

study::SweepSettings settings_of(const SweepOptions& options, const study::SweepFile& file) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = options.threads == 0 ? cores : options.threads;
  const int jobs = std::clamp(options.jobs == 0 ? threads : options.jobs, 1, static_cast<int>(file.runs.size()));
  return {options.folder.empty() ? fs::path("runs") / file.name : fs::path(options.folder),
          data_folder(options.data_folder), jobs, std::max(1, threads / jobs)};
}

study::PrefixPlan prefixes_of(const SweepOptions& options, const study::SweepFile& file) {
  return options.shared_prefix ? study::plan_prefixes(file.runs)
                               : study::PrefixPlan{{}, {file.runs.size(), std::nullopt}};
}

Risk risk_of(const training::Risk& risk) {
  return {risk.loss, risk.accuracy};
}

SweepResult result_of(const std::string& name, const fs::path& folder, const training::TestResult& result) {
  return {name, folder.string(), risk_of(result.last.relaxed), risk_of(result.last.discrete), result.last.frozen};
}

}  // namespace

std::string data_folder(const std::string& named) {
  return data::resolve_data_root(named, std::getenv("FIRN_DATA"));
}

SweepOutcome sweep(const std::string& name, const SweepOptions& options) {
  const study::SweepFile file = study::load_sweep(name);
  const study::SweepSettings settings = settings_of(options, file);
  study::check_sweep_tables(settings.folder, name, file, settings.data_root);
  SweepOutcome outcome;
  outcome.folder = settings.folder.string();
  const auto folder_of = [&](const study::SweepRun& run) { return settings.folder / "runs" / run.name; };
  study::SweepObserver observer;
  if (options.on_step) {
    const std::uint64_t total = study::SweepBoard(file.runs, prefixes_of(options, file), settings.folder).total_steps();
    observer.on_step = [&options, total](std::uint64_t done) { options.on_step(done, total); };
  }
  if (options.on_result)
    observer.on_result = [&](const study::SweepRun& run, const training::TestResult& result) {
      options.on_result(result_of(run.name, folder_of(run), result));
    };
  observer.on_failure = [&](const study::SweepRun& run, const std::string& error) {
    outcome.failures.push_back(fmt::format("{}: {}", run.name, error));
  };
  observer.cancelled = options.cancelled;
  const auto take_results = [&](study::SweepResults results) {
    for (std::size_t r = 0; r < results.size(); ++r)
      if (results[r]) outcome.results.push_back(result_of(file.runs[r].name, folder_of(file.runs[r]), *results[r]));
  };
  const auto take_table = [&](const study::SweepTables& tables) {
    if (!tables.last.rows().empty()) outcome.table = tables.last.text();
  };
  if (options.worker) {
    study::SharedSweep sweep(file.runs, settings, prefixes_of(options, file),
                             {options.silence, options.retries, options.forget_failures});
    outcome.is_complete = sweep.run(observer);
    const auto results = sweep.board().results();
    take_results(results);
    // Where it was cancelled, others go on, and write the tables.
    if (outcome.is_complete || !sweep.failures().empty())
      take_table(study::share_sweep_tables(file, results, settings.folder, sweep.worker()));
  } else {
    study::Sweep sweep(file.runs, settings, prefixes_of(options, file));
    outcome.is_complete = sweep.run(observer);
    take_results(sweep.results());
    take_table(study::write_sweep_tables(file, sweep.results(), settings.folder));
  }
  return outcome;
}

SweepStatus sweep_status(const std::string& name, const SweepOptions& options) {
  const study::SweepFile file = study::load_sweep(name);
  const study::SweepBoard board(file.runs, prefixes_of(options, file), settings_of(options, file).folder);
  study::WorkerWatch watch(board.folder());
  study::listen_to_workers(watch);
  const study::SweepStatus found = study::sweep_status(board, watch, options.retries);
  SweepStatus status;
  for (const study::TaskStatus& task : found.tasks)
    status.tasks.push_back({task.name, task.is_prefix, std::string(study::name_of(task.state)), task.worker,
                            task.attempts, task.failures, task.step, task.last_step, task.error});
  for (const study::WorkerWatch::Seen& worker : found.workers)
    status.workers.push_back({worker.state.name, fs::path(worker.state.task).filename().string(), worker.state.step,
                              worker.state.steps, worker.state.rate, worker.quiet, worker.is_gone});
  status.rate = found.rate;
  status.steps_left = found.steps_left;
  status.seconds_left = found.seconds_left;
  return status;
}

void write_report(const std::vector<std::string>& names, const std::string& file, const std::string& title,
                  bool with_circuits, bool overlay, bool with_data) {
  report::require_figures();
  const std::vector<fs::path> folders(names.begin(), names.end());
  study::check_output(file, study::files_of_folders(folders));
  std::vector<fs::path> data;
  report::GatherSettings settings;
  if (with_circuits)
    settings.harden = [](const training::Checkpoint& checkpoint) {
      return study::harden_checkpoint(checkpoint).network;
    };
  Threads threads(0);
  if (with_data)
    settings.answer = [&](const training::Checkpoint& checkpoint) {
      std::ranges::copy(study::files_of_data(study::config_of(checkpoint), data_folder()), std::back_inserter(data));
      return study::answer_checkpoint(checkpoint, data_folder(), kReportExamples, threads);
    };
  report::ReportRecord record = report::gather(folders, settings);
  study::check_output(file, data);
  record.title = title;
  record.overlay = overlay;
  for (std::size_t i = 0; title.empty() && i < folders.size(); ++i)
    record.title += (i == 0 ? "" : ", ") + folder_name(folders[i]);
  write_file(file, report::page_of(record));
}

Comparison compare(const std::string& first, const std::string& second) {
  const study::RunComparison found = study::compare(first, second);
  Comparison comparison;
  for (const study::ConfigDifference& d : found.config) comparison.config.push_back({d.key, d.first, d.second});
  for (const study::ResultPair& r : found.results) comparison.results.push_back({r.name, r.first, r.second});
  return comparison;
}

}  // namespace firn::api
