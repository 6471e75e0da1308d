// Signs of life of the workers of a sweep, without any clock that two machines would have to agree on.
//
// Every worker keeps a file workers/NAME/heartbeat, which changes every second or two. Whoever wants to know whether a
// worker lives looks at it again and again, and counts by a clock of its own for how long it has not changed. The file
// says how long that may be. A process of this very machine that is no more is known to be gone at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace firn::study {

// What a worker says about itself.
struct WorkerState {
  std::string name = {}, host = {};
  std::string task = {};  // the place of what it trains, such as runs/NAME; empty while it waits for others
  std::uint64_t step = 0, steps = 0;
  double rate = 0;       // steps per second
  double silence = 120;  // seconds without a sign of life after which others may take its work over
};

// A name for a worker of this process that no other worker has.
std::string unique_worker_name();

// Shows the state of a worker for as long as this lives.
class Heartbeat {
 public:
  // `on_beat` is called every second or two, by a thread of its own. `folder` is that of the sweep. An Error where the
  // first sign of life cannot be written.
  Heartbeat(const std::filesystem::path& folder, WorkerState state, std::function<void()> on_beat);
  ~Heartbeat();

  void show(const std::string& task, std::uint64_t step, std::uint64_t steps);
  // The worker has left nothing undone: its folder goes with this. Else it stays, and others see that it is gone.
  void leave() { leaves_ = true; }

 private:
  int beat();  // 0, or the error number

  std::filesystem::path file_;
  std::function<void()> on_beat_;
  std::mutex mutex_;
  WorkerState state_;
  std::uint64_t beats_ = 0;
  std::size_t longest_ = 0;  // text so far
  double rate_since_ = 0;    // when those steps began that the rate counts
  std::uint64_t rate_from_ = 0;
  bool is_rate_settled_ = false;
  bool leaves_ = false;
  std::jthread thread_;
};

// Looks at the workers of a sweep.
class WorkerWatch {
 public:
  using Clock = std::function<double()>;  // seconds since any fixed moment; never goes back

  struct Seen {
    WorkerState state;
    double quiet = 0;        // seconds since a change was seen, or since the first look
    bool was_heard = false;  // a change has been seen
    bool is_gone = false;    // its process is no more, or it has been quiet for as long as it may
  };

  explicit WorkerWatch(std::filesystem::path folder);
  WorkerWatch(std::filesystem::path folder, Clock clock);

  // Reads every heartbeat again.
  void look();
  const std::map<std::string, Seen>& workers() const { return seen_; }
  // A worker without a heartbeat is given the time that others have: its file may just not have arrived here.
  bool is_gone(const std::string& worker);

 private:
  struct Memory {
    std::string text;
    double since;
    bool was_heard = false;
  };

  std::filesystem::path folder_;
  Clock clock_;
  std::map<std::string, Memory> memory_;
  std::map<std::string, Seen> seen_;
};

// The folder of a worker's own, in that of the sweep.
std::filesystem::path worker_folder(const std::filesystem::path& sweep, const std::string& worker);

// Removes a folder of a worker, its heartbeat last: if the removal is cut short, others still see whose it was.
void remove_worker_folder(const std::filesystem::path& folder);

// Removes what was left by workers that were killed before their first sign of life. One that is alive makes its folder
// again.
void remove_workers_never_heard(const std::filesystem::path& sweep);

}  // namespace firn::study
