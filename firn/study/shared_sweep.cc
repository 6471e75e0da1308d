#include "firn/study/shared_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "firn/base/error.h"
#include "firn/study/attempts.h"
#include "firn/study/failure_log.h"
#include "firn/study/output_folder.h"
#include "firn/study/sweep_sample.h"
#include "firn/study/tell.h"
#include "firn/study/train_task.h"

namespace firn::study {

namespace fs = std::filesystem;

std::vector<TaskFailure> given_up(const SweepBoard& board, int retries) {
  std::vector<TaskFailure> failures;
  const FailureLog log(board.folder());
  for (const SweepTask& task : board.tasks()) {
    const FailureLog::Summary failed = log.of(board.place_of(task));
    if (failed.count > static_cast<std::size_t>(retries) && !board.is_done(task))
      failures.push_back({task, failed.count, failed.last});
  }
  return failures;
}

// What the workers of this process have in common.
struct SharedSweep::Common {
  const SweepObserver& observer;
  const SharingObserver& sharing;
  std::mutex telling = {};
  std::map<std::size_t, std::uint64_t> steps_by_job = {};    // of the tasks that they are doing
  std::map<fs::path, std::uint64_t> steps_of_finished = {};  // tasks, by whomever
  std::uint64_t most_steps = 0;

  // Steps of the whole sweep, as far as this process knows. A task that is lost to others does not count backwards.
  void count(std::size_t job, std::uint64_t steps) {
    const std::lock_guard lock(telling);
    steps_by_job[job] = steps;
    std::uint64_t sum = 0;
    for (const auto& [other, own] : steps_by_job) sum += own;
    for (const auto& [place, finished] : steps_of_finished) sum += finished;
    most_steps = std::max(most_steps, sum);
    tell(observer.on_step, most_steps);
  }

  bool is_cancelled() {
    const std::lock_guard lock(telling);
    return observer.cancelled && observer.cancelled();
  }
};

// One worker: takes tasks until there are none for anybody.
class SharedSweep::Job {
 public:
  Job(const SharedSweep& sweep, Common& common, std::size_t number, const std::string& name)
      : sweep_(sweep),
        board_(sweep.board_),
        common_(common),
        number_(number),
        name_(name),
        attempts_(board_.folder(), name, worker_folder(board_.folder(), name)),
        failures_(board_.folder()),
        watch_(board_.folder()),
        trainer_(board_, sweep.settings_.data_root, sweep.settings_.threads),
        heartbeat_(board_.folder(), {.name = name, .silence = sweep.sharing_.silence}, [this] { on_beat(); }) {}

  void work() {
    while (!common_.is_cancelled()) {
      const Choice choice = choose();
      if (choice.attempt) {
        train(choice.task, *choice.attempt);
      } else if (choice.others_work) {
        wait();
      } else {
        tidy();
        break;
      }
    }
    heartbeat_.leave();
  }

 private:
  struct Choice {
    SweepTask task = {};
    std::optional<Attempt> attempt = {};
    bool others_work = false;  // on what this worker may have to take over, or waits for
  };

  // A task that waits for nobody, or whose worker is gone. What this worker has failed at comes last: another machine
  // may do better.
  Choice choose() {
    watch_.look();
    std::map<fs::path, Attempt> newest;
    for (Attempt& attempt : attempts_.newest()) newest.emplace(attempt.place, std::move(attempt));
    Choice choice;
    std::vector<SweepTask> free, failed_here;
    for (const SweepTask& task : board_.tasks()) {
      const fs::path place = board_.place_of(task);
      const auto attempt = newest.find(place);
      if (is_done(task)) {
        if (attempt != newest.end()) attempts_.clear(place);
        continue;
      }
      if (!can_be_done(task) || (task.is_prefix && !is_needed(task))) continue;
      choice.others_work = true;
      const auto prefix = board_.prefix_of(task);
      if ((prefix && !is_done(*prefix)) || (attempt != newest.end() && is_busy(attempt->second))) continue;
      (failed_here_.contains(place) ? failed_here : free).push_back(task);
    }
    for (const std::vector<SweepTask>* tasks : {&free, &failed_here})
      for (const SweepTask& task : *tasks) {
        const auto before = newest.find(board_.place_of(task));
        choice.attempt = attempts_.begin(board_.place_of(task),
                                         before == newest.end() ? std::nullopt : std::optional(before->second));
        if (choice.attempt) {
          choice.task = task;
          return choice;
        }
      }
    return choice;
  }

  bool is_busy(const Attempt& attempt) {
    return !attempt.is_released && attempt.worker != name_ && !failures_.has(attempt) &&
           !watch_.is_gone(attempt.worker);
  }

  // What is done stays done.
  bool is_done(const SweepTask& task) {
    const fs::path place = board_.place_of(task);
    if (done_.contains(place)) return true;
    if (!board_.is_done(task)) return false;
    done_.insert(place);
    const std::lock_guard lock(common_.telling);
    common_.steps_of_finished[place] = board_.last_step(task) - board_.first_step(task);
    return true;
  }

  bool is_given_up(const SweepTask& task) const {
    return failures_.of(board_.place_of(task)).count > static_cast<std::size_t>(sweep_.sharing_.retries);
  }

  bool can_be_done(const SweepTask& task) {
    const auto prefix = board_.prefix_of(task);
    return !is_given_up(task) && (!prefix || is_done(*prefix) || !is_given_up(*prefix));
  }

  bool is_needed(const SweepTask& prefix) {
    return std::ranges::any_of(board_.tasks(), [&](const SweepTask& task) {
      const auto needed = board_.prefix_of(task);
      return needed && needed->index == prefix.index && !is_done(task) && !is_given_up(task);
    });
  }

  void train(const SweepTask& task, const Attempt& attempt) {
    const SweepRun& run = board_.run_of(task);
    {
      const std::lock_guard lock(common_.telling);
      tell(common_.sharing.on_start, TaskStart{run, task.is_prefix, attempt.number});
    }
    hold(attempt);
    try {
      check_same_config(RunFolder(attempt.folder), run.config);
      const bool complete = trainer_.train(task, RunFolder(attempt.folder), observer_of(task, attempt));
      hold(std::nullopt);
      if (complete) {
        publish(task, attempt);
      } else if (!is_lost_) {
        attempts_.release(attempt);
      }
    } catch (const std::exception& error) {
      hold(std::nullopt);
      if (attempts_.counts(attempt)) fail(task, attempt, error.what());
    }
    if (is_lost_) attempts_.discard(attempt);
    common_.count(number_, 0);
    heartbeat_.show("", 0, 0);
  }

  TaskObserver observer_of(const SweepTask& task, const Attempt& attempt) {
    TaskObserver observer;
    observer.on_step = [this, task, place = attempt.place.string()](std::uint64_t step) {
      heartbeat_.show(place, step, board_.last_step(task));
      common_.count(number_, step - board_.first_step(task));
    };
    observer.cancelled = [this] { return is_lost_ || common_.is_cancelled(); };
    return observer;
  }

  void publish(const SweepTask& task, const Attempt& attempt) {
    if (!attempts_.publish(attempt, [&] { return board_.is_done(task); })) return attempts_.discard(attempt);
    if (task.is_prefix) return;
    const auto result = board_.result_of(task.index);
    FIRN_CHECK(result.has_value());
    const std::lock_guard lock(common_.telling);
    tell(common_.observer.on_result, board_.run_of(task), *result);
  }

  void fail(const SweepTask& task, const Attempt& attempt, const std::string& error) {
    failures_.add(attempt, error);
    attempts_.release(attempt);  // for when failures are forgotten
    failed_here_.insert(attempt.place);
    const std::lock_guard lock(common_.telling);
    tell(common_.observer.on_failure, board_.run_of(task), error);
  }

  // The attempt that the heartbeat looks after.
  void hold(const std::optional<Attempt>& attempt) {
    const std::lock_guard lock(holding_);
    held_ = attempt;
    if (attempt) is_lost_ = false;
  }

  // A worker that was silent for too long, stopped or cut off, finds that others have taken its task over.
  void on_beat() {
    const std::lock_guard lock(holding_);
    if (held_ && !attempts_.counts(*held_)) is_lost_ = true;
  }

  void wait() {
    {
      const std::lock_guard lock(common_.telling);
      tell(common_.sharing.on_wait);
    }
    constexpr auto kSlice = std::chrono::milliseconds(50);
    const double seconds = std::clamp(sweep_.sharing_.silence / 40, 0.05, 1.0);
    for (double slept = 0; slept < seconds && !common_.is_cancelled(); slept += 0.05)
      std::this_thread::sleep_for(kSlice);
  }

  // Workers that were killed have left their folders.
  void tidy() const {
    for (const auto& [name, seen] : watch_.workers())
      if (seen.is_gone) remove_worker_folder(worker_folder(board_.folder(), name));
    remove_workers_never_heard(board_.folder());
  }

  const SharedSweep& sweep_;
  const SweepBoard& board_;
  Common& common_;
  std::size_t number_;
  std::string name_;
  Attempts attempts_;
  FailureLog failures_;
  WorkerWatch watch_;
  TaskTrainer trainer_;
  std::set<fs::path> done_, failed_here_;
  std::mutex holding_;
  std::optional<Attempt> held_;
  std::atomic<bool> is_lost_ = false;
  Heartbeat heartbeat_;  // its thread uses all of the above
};

SharedSweep::SharedSweep(std::vector<SweepRun> runs, SweepSettings settings, PrefixPlan prefixes,
                         SharingSettings sharing)
    : settings_(std::move(settings)),
      sharing_(sharing),
      board_(std::move(runs), std::move(prefixes), settings_.folder) {}

void SharedSweep::join() {
  Heartbeat heartbeat(board_.folder(), {.name = name_, .silence = sharing_.silence}, [] {});
  heartbeat.leave();
  Threads threads(settings_.jobs * settings_.threads);
  check_sweep_samples(board_, settings_.data_root, threads, worker_folder(board_.folder(), name_));
}

bool SharedSweep::run(const SweepObserver& observer, const SharingObserver& sharing) {
  const OutputFolder opened(settings_.folder, settings_.wait, FolderLock::Use::kShared);
  board_.remove_left_behind();
  join();
  if (sharing_.forget_failures) FailureLog(settings_.folder).forget();
  Common common{observer, sharing};
  std::exception_ptr failure;  // an exception that left a thread would end the program
  const auto work = [&](std::size_t number) {
    try {
      Job(*this, common, number, number == 0 ? name_ : fmt::format("{}.{}", name_, number + 1)).work();
    } catch (...) {
      const std::lock_guard lock(common.telling);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;  // joined also where one of them cannot be started
    for (int job = 1; job < settings_.jobs; ++job) others.emplace_back(work, job);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
  return std::ranges::all_of(board_.results(), [](const auto& result) { return result.has_value(); });
}

}  // namespace firn::study
