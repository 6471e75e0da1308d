#include "firn/study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/folder_lock.h"
#include "firn/base/table_sums.h"
#include "firn/study/config_values.h"
#include "firn/study/same_data.h"
#include "firn/study/start.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kNoStep = 0;

// The first key in which the configuration of a folder differs from this one; nothing if the folder has none.
std::optional<ConfigDifference> difference_from(const RunFolder& folder, const Config& config) {
  if (!fs::exists(folder.config())) return std::nullopt;
  return first_difference(read_stored_config(read_text(folder.config()), folder.config().string(), *config.parts),
                          config);
}

void check_same_config(const RunFolder& folder, const Config& config) {
  if (const auto difference = difference_from(folder, config))
    throw Error(
        fmt::format("{} holds a run of another configuration: {} is {} there and {} here; choose another "
                    "folder, or remove it",
                    folder.path().string(), difference->key, difference->first, difference->second));
}

// The folder among those there whose configuration says the same, whatever it is called: names have changed with
// versions. One that cannot be read belongs to somebody else.
std::optional<fs::path> folder_with_config(const fs::path& folders, const Config& config) {
  if (!fs::is_directory(folders)) return std::nullopt;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folders)) {
    const RunFolder folder(entry.path());
    try {
      if (fs::exists(folder.config()) && !difference_from(folder, config)) found.push_back(entry.path());
    } catch (const Error&) {
      continue;
    }
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::min_element(found);
}

template <class Callback, class... Arguments>
void tell(const Callback& callback, const Arguments&... arguments) {
  if (callback) callback(arguments...);
}

// Lines of the prefix's metrics become the beginning of the fork's, so that its curve is whole.
void copy_metrics(const RunFolder& from, const RunFolder& to, std::uint64_t step) {
  const std::string name = to.metrics().filename().string();
  TableSums sums(to.path());
  sums.forget(name);  // what a run that was killed before its first checkpoint has left
  sums.store();
  write_file(to.metrics(), read_checked_table(from.metrics()));
  to.open_metrics(step);
}

}  // namespace

// What is left to do and who waits for whom. All calls hold the lock.
class Sweep::Schedule {
 public:
  struct Task {
    bool is_prefix;
    std::size_t index;
  };

  explicit Schedule(const Sweep& sweep) : prefix_done_(sweep.prefixes_.prefixes.size(), false) {
    for (std::size_t p = 0; p < prefix_done_.size(); ++p) {
      prefix_done_[p] = sweep.prefix_is_done(p);
      if (!prefix_done_[p] && needs_prefix(sweep, p)) pending_.push_back({true, p});
      for (std::size_t r = 0; r < sweep.runs_.size(); ++r)
        if (sweep.prefixes_.forks[r] && sweep.prefixes_.forks[r]->prefix == p && !sweep.results_[r])
          pending_.push_back({false, r});
    }
    for (std::size_t r = 0; r < sweep.runs_.size(); ++r)
      if (!sweep.prefixes_.forks[r] && !sweep.results_[r]) pending_.push_back({false, r});
  }

  // The first task whose prefix is there; nothing when none is left, or none of those left can ever start.
  std::optional<Task> next(const Sweep& sweep) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto task = std::ranges::find_if(pending_, [&](const Task& t) { return is_ready(sweep, t); });
      if (stopped_ || (task == pending_.end() && running_ == 0)) return std::nullopt;
      if (task != pending_.end()) {
        const Task found = *task;
        pending_.erase(task);
        ++running_;
        return found;
      }
      changed_.wait(lock);
    }
  }

  void finish(const Task& task, bool complete) {
    const std::lock_guard lock(mutex_);
    --running_;
    if (task.is_prefix && complete) prefix_done_[task.index] = true;
    changed_.notify_all();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  static bool needs_prefix(const Sweep& sweep, std::size_t p) {
    for (std::size_t r = 0; r < sweep.runs_.size(); ++r)
      if (sweep.prefixes_.forks[r] && sweep.prefixes_.forks[r]->prefix == p && !sweep.results_[r]) return true;
    return false;
  }

  bool is_ready(const Sweep& sweep, const Task& task) const {
    if (task.is_prefix) return true;
    const auto& fork = sweep.prefixes_.forks[task.index];
    return !fork || prefix_done_[fork->prefix];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> pending_;
  std::vector<bool> prefix_done_;
  int running_ = 0;
  bool stopped_ = false;
};

// One thread of the sweep: takes tasks until there are none.
class Sweep::Worker {
 public:
  Worker(Sweep& sweep, Schedule& schedule, const SweepObserver& observer, std::mutex& telling, std::uint64_t& steps)
      : sweep_(sweep),
        schedule_(schedule),
        observer_(observer),
        telling_(telling),
        steps_(steps),
        threads_(sweep.settings_.threads) {}

  void work() {
    while (const auto task = schedule_.next(sweep_)) {
      bool complete = false;
      const SweepRun& run = task->is_prefix ? sweep_.prefixes_.prefixes[task->index].run : sweep_.runs_[task->index];
      try {
        complete = task->is_prefix ? train_prefix(task->index) : train_run(task->index);
        if (!complete) schedule_.stop();
      } catch (const std::exception& error) {
        const std::lock_guard lock(telling_);
        tell(observer_.on_failure, run, std::string(error.what()));
      }
      schedule_.finish(*task, complete);
    }
  }

 private:
  bool train_prefix(std::size_t p) {
    const Prefix& prefix = sweep_.prefixes_.prefixes[p];
    const RunFolder folder(sweep_.prefix_paths_[p]);
    folder.make();
    const FolderLock folder_lock(folder.path());
    Run run(prefix.run.config, sweep_.settings_.data_root, threads_);
    begin(run, folder, std::nullopt);
    train(run, folder, kNoStep, prefix.forks.back());
    return run.step() >= prefix.forks.back();
  }

  bool train_run(std::size_t r) {
    const SweepRun& planned = sweep_.runs_[r];
    const RunFolder folder(sweep_.run_path(r));
    folder.make();
    const FolderLock folder_lock(folder.path());
    Run run(planned.config, sweep_.settings_.data_root, threads_);
    begin(run, folder, sweep_.prefixes_.forks[r]);
    if (!train(run, folder, sweep_.first_step(r), run.config().train.steps)) return false;
    const auto result = run.test(folder);
    if (!result) throw Error("the data have no test set, so that there is nothing to compare");
    const std::lock_guard lock(telling_);
    sweep_.results_[r] = result;
    tell(observer_.on_result, planned, *result);
    return true;
  }

  void begin(Run& run, const RunFolder& folder, const std::optional<Fork>& fork) {
    if (const auto checkpoint = folder.newest([](std::string_view) {})) return resume_run(run, folder, *checkpoint);
    write_file(folder.config(), to_toml(run.config()));
    if (!fork) return;
    const RunFolder prefix(sweep_.prefix_paths_[fork->prefix]);
    const Checkpoint start = Checkpoint::read(prefix.kept(fork->step));
    check_unchanged_data(run.trainer().fingerprints(), start.header(), start.source());
    run.fork(start);
    copy_metrics(prefix, folder, fork->step);
  }

  // Trains to the step `until`, counting those after `from`; true when the run is complete.
  bool train(Run& run, const RunFolder& folder, std::uint64_t from, std::uint64_t until) {
    std::ofstream log(folder.log(), std::ios::app);
    count(run.step() - from);
    TrainObserver observer;
    observer.on_step = [&](std::uint64_t, double, std::optional<double>) { count(1); };
    observer.on_metrics = [&](const Metrics& metrics) { log << to_line(metrics) << '\n' << std::flush; };
    observer.cancelled = [&] { return run.step() >= until || is_cancelled(); };
    return run.train(folder, observer);
  }

  void count(std::uint64_t steps) {
    const std::lock_guard lock(telling_);
    steps_ += steps;
    tell(observer_.on_step, steps_);
  }

  bool is_cancelled() {
    const std::lock_guard lock(telling_);
    return observer_.cancelled && observer_.cancelled();
  }

  Sweep& sweep_;
  Schedule& schedule_;
  const SweepObserver& observer_;
  std::mutex& telling_;
  std::uint64_t& steps_;
  Threads threads_;
};

Sweep::Sweep(std::vector<SweepRun> runs, SweepSettings settings, PrefixPlan prefixes)
    : runs_(std::move(runs)), settings_(std::move(settings)), prefixes_(std::move(prefixes)) {
  results_.resize(runs_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const RunFolder folder(run_path(r));
    check_same_config(folder, runs_[r].config);
    results_[r] = read_result(folder);
  }
  const fs::path folders = settings_.folder / "prefixes";
  for (const Prefix& prefix : prefixes_.prefixes) {
    prefix_paths_.push_back(folder_with_config(folders, prefix.run.config).value_or(folders / prefix.run.name));
    check_same_config(RunFolder(prefix_paths_.back()), prefix.run.config);
  }
}

bool Sweep::prefix_is_done(std::size_t p) const {
  const RunFolder folder(prefix_paths_[p]);
  return std::ranges::all_of(prefixes_.prefixes[p].forks,
                             [&](std::uint64_t step) { return fs::exists(folder.kept(step)); });
}

std::uint64_t Sweep::total_steps() const {
  std::uint64_t steps = 0;
  for (const Prefix& prefix : prefixes_.prefixes) steps += prefix.forks.back();
  for (std::size_t r = 0; r < runs_.size(); ++r) steps += runs_[r].config.train.steps - first_step(r);
  return steps;
}

std::uint64_t Sweep::finished_steps() const {
  std::uint64_t steps = 0;
  for (std::size_t p = 0; p < prefixes_.prefixes.size(); ++p)
    if (prefix_is_done(p)) steps += prefixes_.prefixes[p].forks.back();
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (results_[r]) steps += runs_[r].config.train.steps - first_step(r);
  return steps;
}

bool Sweep::run(const SweepObserver& observer) {
  RunFolder(settings_.folder).make();
  const FolderLock folder_lock(settings_.folder, settings_.wait);
  Schedule schedule(*this);
  std::mutex telling;
  std::uint64_t steps = finished_steps();
  std::exception_ptr failure;  // of an observer: an exception that left a thread would end the program
  const auto work = [&] {
    try {
      Worker(*this, schedule, observer, telling, steps).work();
    } catch (...) {
      schedule.stop();
      const std::lock_guard lock(telling);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;  // joined also where one of them cannot be started
    for (int job = 1; job < settings_.jobs; ++job) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return std::ranges::all_of(results_, [](const auto& result) { return result.has_value(); });
}

}  // namespace firn::study
