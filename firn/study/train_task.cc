#include "firn/study/train_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/table_sums.h"
#include "firn/study/config_values.h"
#include "firn/study/same_data.h"
#include "firn/study/start.h"

namespace firn::study {

namespace {

// Lines of the prefix's metrics become the beginning of the fork's, so that its curve is whole.
void copy_metrics(const RunFolder& from, const RunFolder& to, std::uint64_t step) {
  const std::string name = to.metrics().filename().string();
  TableSums sums(to.path());
  sums.forget(name);  // what a run that was killed before its first checkpoint has left
  sums.store();
  write_file(to.metrics(), read_checked_table(from.metrics()));
  to.open_metrics(step);
}

void fork_at(Run& run, const RunFolder& prefix, std::uint64_t step) {
  const Checkpoint start = Checkpoint::read(prefix.kept(step));
  check_unchanged_data(run.trainer().fingerprints(), start.header(), start.source());
  run.fork(start);
}

// Do they read the same examples, however these are split and augmented?
bool reads_same_data(const Config& first, const Config& second) {
  Config other = first;
  other.data = second.data;
  other.data.split = first.data.split;
  other.data.split_seed = first.data.split_seed;
  other.data.validation = first.data.validation;
  other.data.augment = first.data.augment;
  return !first_difference(other, first);
}

}  // namespace

void TaskTrainer::check_against_finished(const Run& run) const {
  const Fingerprints& data = run.trainer().fingerprints();
  for (std::size_t r = 0; r < board_.runs().size(); ++r) {
    const auto finished = board_.result_of(r);
    if (!finished || !finished->data) continue;
    const Config& its = board_.runs()[r].config;
    Fingerprints known = *finished->data;
    if (its.train.teacher.file != run.config().train.teacher.file) known.teacher.clear();
    const auto changed = changed_part(data, known);
    if (!changed || !reads_same_data(its, run.config())) continue;
    throw Error(fmt::format("the {} have changed since {} was trained; restore them, or sweep into a new folder",
                            *changed, board_.path_of({false, r}).string()));
  }
}

// The first step whose kept checkpoint is missing from a prefix. Runs need it, so training must resume no later than
// there and pass it again.
std::uint64_t TaskTrainer::first_lost_step(const SweepTask& task, const RunFolder& folder) const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  if (!task.is_prefix) return first;
  for (const std::uint64_t step : board_.run_of(task).config.train.keep_at)
    if (!std::filesystem::exists(folder.kept(step))) first = std::min(first, step);
  return first;
}

void TaskTrainer::begin(Run& run, const SweepTask& task, const RunFolder& folder) const {
  const auto checkpoint = folder.newest([](std::string_view) {}, first_lost_step(task, folder));
  // One from before the fork is only there because the run keeps it; the prefix has trained further, so fork from that.
  if (checkpoint && checkpoint->header().step >= board_.first_step(task)) return resume_run(run, folder, *checkpoint);
  write_file(folder.config(), to_toml(run.config()));
  const auto prefix_task = board_.prefix_of(task);
  if (!prefix_task) return;
  const RunFolder prefix(board_.path_of(*prefix_task));
  const std::uint64_t step = board_.first_step(task);
  copy_metrics(prefix, folder, step);
  for (const std::uint64_t kept : run.config().train.keep_at)
    if (kept < step) {
      fork_at(run, prefix, kept);
      run.save_kept(folder);
    }
  fork_at(run, prefix, step);
}

bool TaskTrainer::train(const SweepTask& task, const RunFolder& folder, const TaskObserver& observer) {
  Run run(board_.run_of(task).config, data_root_, threads_);
  check_against_finished(run);
  begin(run, task, folder);
  std::ofstream log(folder.log(), std::ios::app);
  observer.on_step(run.step());
  const std::uint64_t until = board_.last_step(task);
  TrainObserver training;
  training.on_step = [&](std::uint64_t step, double, std::optional<double>) { observer.on_step(step); };
  training.on_metrics = [&](const Metrics& metrics) { log << to_line(metrics) << '\n' << std::flush; };
  training.cancelled = [&] { return run.step() >= until || observer.cancelled(); };
  const bool complete = run.train(folder, training);
  if (task.is_prefix) return run.step() >= until;
  if (complete && !run.test(folder)) throw Error("the data have no test set, so there is nothing to compare");
  return complete;
}

}  // namespace firn::study
