// Who does what in a sweep that workers share, and when it will be done.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/study/heartbeat.h"
#include "firn/study/sweep_board.h"

namespace firn::study {

enum class TaskState { kWaiting, kRunning, kLeft, kDone, kGivenUp };  // kLeft: begun, by a worker that is gone

struct TaskStatus {
  std::string name;
  bool is_prefix = false;
  TaskState state = TaskState::kWaiting;
  std::string worker = {};  // of the newest attempt
  std::uint64_t attempts = 0, failures = 0;
  std::uint64_t step = 0, first_step = 0, last_step = 0;
  std::string error = {};  // of the last failure
};

struct SweepStatus {
  std::vector<TaskStatus> tasks;           // shared beginnings and runs, in the order in which they are begun
  std::vector<WorkerWatch::Seen> workers;  // by name
  double rate = 0;                         // steps per second of all workers that live
  std::uint64_t steps_left = 0;            // of what was not given up
  // At this rate, and not before the longest task in progress. Nothing where nobody works.
  std::optional<double> seconds_left = {};

  std::size_t count(TaskState state, bool of_prefixes) const;
};

std::string_view name_of(TaskState state);

// Looks at the workers again. `retries` is as in SharingSettings.
SweepStatus sweep_status(const SweepBoard& board, WorkerWatch& watch, int retries);

// Looks until every worker has been heard or is gone, or for a few seconds.
void listen_to_workers(WorkerWatch& watch);

nlohmann::json to_json(const SweepStatus& status);

}  // namespace firn::study
