#include "firn/study/sweep.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "firn/study/attempts.h"
#include "firn/study/failure_log.h"
#include "firn/study/output_folder.h"
#include "firn/study/tell.h"
#include "firn/study/train_task.h"

namespace firn::study {

// What is left to do and who waits for whom. All calls hold the lock.
class Sweep::Schedule {
 public:
  explicit Schedule(const SweepBoard& board) : board_(board), prefix_done_(board.prefixes().prefixes.size(), false) {
    for (const SweepTask& task : board.tasks()) {
      const bool is_done = board.is_done(task);
      if (task.is_prefix) prefix_done_[task.index] = is_done;
      if (!is_done && (!task.is_prefix || is_needed(task.index))) pending_.push_back(task);
    }
  }

  // The first task whose prefix is there; nothing when none is left, or none of those left can ever start.
  std::optional<SweepTask> next() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto task = std::ranges::find_if(pending_, [&](const SweepTask& t) { return is_ready(t); });
      if (stopped_ || (task == pending_.end() && running_ == 0)) return std::nullopt;
      if (task != pending_.end()) {
        const SweepTask found = *task;
        pending_.erase(task);
        ++running_;
        return found;
      }
      changed_.wait(lock);
    }
  }

  void finish(const SweepTask& task, bool complete) {
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
  bool is_needed(std::size_t prefix) const {
    return std::ranges::any_of(board_.tasks(), [&](const SweepTask& task) {
      const auto needed = board_.prefix_of(task);
      return needed && needed->index == prefix && !board_.is_done(task);
    });
  }

  bool is_ready(const SweepTask& task) const {
    const auto prefix = board_.prefix_of(task);
    return !prefix || prefix_done_[prefix->index];
  }

  const SweepBoard& board_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SweepTask> pending_;
  std::vector<bool> prefix_done_;
  int running_ = 0;
  bool stopped_ = false;
};

// One thread of the sweep: takes tasks until there are none.
class Sweep::Job {
 public:
  Job(Sweep& sweep, Schedule& schedule, const SweepObserver& observer, std::mutex& telling, std::uint64_t& steps)
      : sweep_(sweep),
        schedule_(schedule),
        observer_(observer),
        telling_(telling),
        steps_(steps),
        trainer_(sweep.board_, sweep.settings_.data_root, sweep.settings_.threads) {}

  void work() {
    while (const auto task = schedule_.next()) {
      bool complete = false;
      try {
        complete = train(*task);
        if (!complete) schedule_.stop();
      } catch (const std::exception& error) {
        const std::lock_guard lock(telling_);
        tell(observer_.on_failure, sweep_.board_.run_of(*task), std::string(error.what()));
      }
      schedule_.finish(*task, complete);
    }
  }

 private:
  bool train(const SweepTask& task) {
    const RunFolder folder(sweep_.board_.path_of(task));
    const OutputFolder opened(folder.path());
    std::uint64_t counted = sweep_.board_.first_step(task);
    TaskObserver observer;
    observer.on_step = [&](std::uint64_t step) { count(step - std::exchange(counted, step)); };
    observer.cancelled = [&] { return is_cancelled(); };
    if (!trainer_.train(task, folder, observer)) return false;
    if (task.is_prefix) return true;
    const auto result = sweep_.board_.result_of(task.index);
    const std::lock_guard lock(telling_);
    sweep_.results_[task.index] = result;
    tell(observer_.on_result, sweep_.board_.run_of(task), *result);
    return true;
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
  TaskTrainer trainer_;
};

Sweep::Sweep(std::vector<SweepRun> runs, SweepSettings settings, PrefixPlan prefixes)
    : settings_(std::move(settings)),
      board_(std::move(runs), std::move(prefixes), settings_.folder),
      results_(board_.results()) {}

std::uint64_t Sweep::finished_steps() const {
  std::uint64_t steps = 0;
  for (const SweepTask& task : board_.tasks())
    if (board_.is_done(task)) steps += board_.last_step(task) - board_.first_step(task);
  return steps;
}

bool Sweep::run(const SweepObserver& observer) {
  const OutputFolder opened(settings_.folder, settings_.wait);
  board_.remove_left_behind();
  // What others have done while this waited is done, and what workers have left, or given up, goes on here.
  FailureLog(settings_.folder).forget();
  adopt_attempts(settings_.folder, [&](const std::filesystem::path& place) {
    return std::ranges::any_of(
        board_.tasks(), [&](const SweepTask& task) { return board_.place_of(task) == place && board_.is_done(task); });
  });
  results_ = board_.results();
  Schedule schedule(board_);
  std::mutex telling;
  std::uint64_t steps = finished_steps();
  std::exception_ptr failure;  // of an observer: an exception that left a thread would end the program
  const auto work = [&] {
    try {
      Job(*this, schedule, observer, telling, steps).work();
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
