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

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kNoStep = 0;

void check_same_config(const RunFolder& folder, const std::string& text) {
  if (fs::exists(folder.config()) && read_text(folder.config()) != text)
    throw Error(fmt::format("{} holds a run of another configuration; choose another folder with --out, or remove it",
                            folder.path().string()));
}

// Lines of the prefix's metrics become the beginning of the fork's, so that its curve is whole.
void copy_metrics(const RunFolder& from, const RunFolder& to, std::uint64_t step) {
  fs::copy_file(from.metrics(), to.metrics(), fs::copy_options::overwrite_existing);
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
        observer_.on_failure(run, error.what());
      }
      schedule_.finish(*task, complete);
    }
  }

 private:
  bool train_prefix(std::size_t p) {
    const Prefix& prefix = sweep_.prefixes_.prefixes[p];
    const RunFolder folder(sweep_.prefix_path(p), /*resume=*/true);
    Run run(prefix.run.written, sweep_.settings_.data_root, threads_);
    begin(run, folder, prefix.run.written.text, std::nullopt);
    train(run, folder, kNoStep, prefix.forks.back());
    return run.step() >= prefix.forks.back();
  }

  bool train_run(std::size_t r) {
    const SweepRun& planned = sweep_.runs_[r];
    const RunFolder folder(sweep_.run_path(r), /*resume=*/true);
    Run run(planned.written, sweep_.settings_.data_root, threads_);
    begin(run, folder, planned.written.text, sweep_.prefixes_.forks[r]);
    if (!train(run, folder, sweep_.first_step(r), run.config().train.steps)) return false;
    const auto result = run.test(folder);
    if (!result) throw Error("the data have no test part, so that there is nothing to compare");
    const std::lock_guard lock(telling_);
    sweep_.results_[r] = result;
    observer_.on_result(planned, *result);
    return true;
  }

  void begin(Run& run, const RunFolder& folder, const std::string& text, const std::optional<Fork>& fork) {
    if (const auto checkpoint = folder.newest([](std::string_view) {})) return run.resume(*checkpoint);
    write_file(folder.config(), text);
    if (!fork) return;
    const RunFolder prefix(sweep_.prefix_path(fork->prefix), /*resume=*/true);
    run.fork(Checkpoint::read(prefix.kept(fork->step)));
    copy_metrics(prefix, folder, fork->step);
  }

  // Trains to the step `until`, counting those after `from`; true when the run is complete.
  bool train(Run& run, const RunFolder& folder, std::uint64_t from, std::uint64_t until) {
    std::ofstream log(folder.log(), std::ios::app);
    tell(run.step() - from);
    TrainObserver observer;
    observer.on_step = [&](std::uint64_t, double, std::optional<double>) { tell(1); };
    observer.on_metrics = [&](const Metrics& metrics) { log << to_line(metrics) << '\n' << std::flush; };
    observer.cancelled = [&] { return run.step() >= until || observer_.cancelled(); };
    return run.train(folder, observer);
  }

  void tell(std::uint64_t steps) {
    const std::lock_guard lock(telling_);
    steps_ += steps;
    observer_.on_step(steps_);
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
    const RunFolder folder(run_path(r), /*resume=*/true);
    check_same_config(folder, runs_[r].written.text);
    results_[r] = read_result(folder);
  }
  for (std::size_t p = 0; p < prefixes_.prefixes.size(); ++p)
    check_same_config(RunFolder(prefix_path(p), /*resume=*/true), prefixes_.prefixes[p].run.written.text);
}

fs::path Sweep::prefix_path(std::size_t p) const {
  return settings_.folder / "prefixes" / prefixes_.prefixes[p].run.name;
}

bool Sweep::prefix_is_done(std::size_t p) const {
  const RunFolder folder(prefix_path(p), /*resume=*/true);
  return std::ranges::all_of(prefixes_.prefixes[p].forks,
                             [&](std::uint64_t step) { return fs::exists(folder.kept(step)); });
}

std::uint64_t Sweep::total_steps() const {
  std::uint64_t steps = 0;
  for (const Prefix& prefix : prefixes_.prefixes) steps += prefix.forks.back();
  for (std::size_t r = 0; r < runs_.size(); ++r) steps += runs_[r].written.config.train.steps - first_step(r);
  return steps;
}

std::uint64_t Sweep::finished_steps() const {
  std::uint64_t steps = 0;
  for (std::size_t p = 0; p < prefixes_.prefixes.size(); ++p)
    if (prefix_is_done(p)) steps += prefixes_.prefixes[p].forks.back();
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (results_[r]) steps += runs_[r].written.config.train.steps - first_step(r);
  return steps;
}

bool Sweep::run(const SweepObserver& observer) {
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

}  // namespace firn
