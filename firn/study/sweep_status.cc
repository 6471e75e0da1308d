#include "firn/study/sweep_status.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "firn/base/clock.h"
#include "firn/study/attempts.h"
#include "firn/study/failure_log.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

constexpr double kLongestListening = 5;  // seconds; signs of life are two seconds apart at most

using Newest = std::map<fs::path, Attempt>;

Newest newest_attempts(const fs::path& sweep) {
  Newest newest;
  for (Attempt& attempt : Attempts(sweep, "", "").newest()) newest.emplace(attempt.place, std::move(attempt));
  return newest;
}

TaskStatus status_of(const SweepTask& task, const SweepBoard& board, const Newest& newest, WorkerWatch& watch,
                     int retries) {
  const fs::path place = board.place_of(task);
  TaskStatus status{board.run_of(task).name, task.is_prefix};
  status.first_step = status.step = board.first_step(task);
  status.last_step = board.last_step(task);
  const FailureLog log(board.folder());
  const FailureLog::Summary failures = log.of(place);
  status.failures = failures.count;
  status.error = failures.last;
  if (const auto attempt = newest.find(place); attempt != newest.end()) {
    status.worker = attempt->second.worker;
    status.attempts = attempt->second.number;
    const bool is_left = attempt->second.is_released || log.has(attempt->second) || watch.is_gone(status.worker);
    status.state = is_left ? TaskState::kLeft : TaskState::kRunning;
    const auto worker = watch.workers().find(status.worker);
    if (worker != watch.workers().end() && worker->second.state.task == place)
      status.step = std::max(status.step, worker->second.state.step);
  }
  if (board.is_done(task)) {
    status.state = TaskState::kDone;
    status.step = status.last_step;
  } else if (status.failures > static_cast<std::size_t>(retries)) {
    status.state = TaskState::kGivenUp;
  }
  return status;
}

}  // namespace

std::size_t SweepStatus::count(TaskState state, bool of_prefixes) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      tasks, [&](const TaskStatus& task) { return task.state == state && task.is_prefix == of_prefixes; }));
}

std::string_view name_of(TaskState state) {
  switch (state) {
    case TaskState::kWaiting:
      return "waiting";
    case TaskState::kRunning:
      return "running";
    case TaskState::kLeft:
      return "left";
    case TaskState::kDone:
      return "done";
    case TaskState::kGivenUp:
      return "given up";
  }
  return "";
}

SweepStatus sweep_status(const SweepBoard& board, WorkerWatch& watch, int retries) {
  watch.look();
  SweepStatus status;
  const Newest newest = newest_attempts(board.folder());
  for (const SweepTask& task : board.tasks()) status.tasks.push_back(status_of(task, board, newest, watch, retries));
  double longest = 0;
  for (const auto& [name, seen] : watch.workers()) {
    status.workers.push_back(seen);
    if (seen.is_gone || seen.state.rate <= 0) continue;
    status.rate += seen.state.rate;
    longest = std::max(longest, static_cast<double>(seen.state.steps - seen.state.step) / seen.state.rate);
  }
  for (const TaskStatus& task : status.tasks)
    if (task.state != TaskState::kDone && task.state != TaskState::kGivenUp)
      status.steps_left += task.last_step - task.step;
  if (status.rate > 0) status.seconds_left = std::max(longest, static_cast<double>(status.steps_left) / status.rate);
  return status;
}

void listen_to_workers(WorkerWatch& watch) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  const Stopwatch stopwatch;
  watch.look();
  const auto is_known = [](const auto& worker) { return worker.second.was_heard || worker.second.is_gone; };
  while (!std::ranges::all_of(watch.workers(), is_known) && stopwatch.seconds() < kLongestListening) {
    std::this_thread::sleep_for(kPause);
    watch.look();
  }
}

nlohmann::json to_json(const SweepStatus& status) {
  using nlohmann::json;
  json tasks = json::array(), workers = json::array();
  for (const TaskStatus& task : status.tasks)
    tasks.push_back({{"name", task.name},
                     {"prefix", task.is_prefix},
                     {"state", name_of(task.state)},
                     {"worker", task.worker},
                     {"attempts", task.attempts},
                     {"failures", task.failures},
                     {"step", task.step},
                     {"steps", task.last_step},
                     {"error", task.error}});
  for (const WorkerWatch::Seen& worker : status.workers)
    workers.push_back({{"name", worker.state.name},
                       {"host", worker.state.host},
                       {"task", worker.state.task},
                       {"step", worker.state.step},
                       {"steps", worker.state.steps},
                       {"steps_per_second", worker.state.rate},
                       {"silence", worker.state.silence},
                       {"quiet_seconds", worker.quiet},
                       {"gone", worker.is_gone}});
  return {{"tasks", tasks},
          {"workers", workers},
          {"steps_per_second", status.rate},
          {"steps_left", status.steps_left},
          {"seconds_left", status.seconds_left ? json(*status.seconds_left) : json()}};
}

}  // namespace firn::study
