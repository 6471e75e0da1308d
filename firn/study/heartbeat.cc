#include "firn/study/heartbeat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/parse_json.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr const char *kWorkers = "workers", *kHeartbeat = "heartbeat";
constexpr double kLongestPause = 2;                    // seconds between two beats
constexpr double kBeatsInSilence = 8;                  // at least; some of them may be late
constexpr double kLongestSilence = 7 * 24 * 3600;      // seconds; nobody waits longer, whatever a file says
constexpr std::chrono::milliseconds kToShowLife{100};  // more than a worker that lives needs to write its heartbeat
constexpr double kRatePeriod = 30;                     // seconds over which a rate is counted, once there are as many

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What names a running kernel, and the processes that see each other in it: containers have numbers of their own.
std::string own_machine() {
  std::error_code error;
  const fs::path processes = fs::read_symlink("/proc/self/ns/pid", error);
  try {
    std::string boot = read_text("/proc/sys/kernel/random/boot_id");
    while (!boot.empty() && boot.back() == '\n') boot.pop_back();
    return error ? "" : boot + " " + processes.string();
  } catch (const Error&) {
    return "";
  }
}

// When a process was started, in the words of the kernel; nothing for one that is no more. The number of a dead process
// may be given to another one, which has started later.
std::optional<std::string> start_of_process(std::uint64_t process) {
  std::string text;
  try {
    text = read_text(fmt::format("/proc/{}/stat", process));
  } catch (const Error&) {
    return std::nullopt;
  }
  // "4711 (any name) S ..."; the start is the twentieth word after the name, the state the first.
  std::size_t at = text.rfind(") ");
  if (at == std::string::npos) return std::nullopt;
  at += 2;
  if (text[at] == 'Z' || text[at] == 'X') return std::nullopt;
  for (int word = 1; word < 20 && at != std::string::npos; ++word) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

double pause_of(double silence) {
  return std::min(kLongestPause, silence / kBeatsInSilence);
}

std::string to_text(const WorkerState& state, std::uint64_t beats) {
  const json object = {{"beat", beats},
                       {"host", state.host},
                       {"machine", own_machine()},
                       {"process", ::getpid()},
                       {"started", start_of_process(static_cast<std::uint64_t>(::getpid())).value_or("")},
                       {"task", state.task},
                       {"step", state.step},
                       {"steps", state.steps},
                       {"rate", state.rate},
                       {"silence", state.silence}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// Nothing for a text that is just being written.
std::optional<WorkerState> parse_state(const std::string& name, const json& object) {
  try {
    return WorkerState{name,
                       object.at("host"),
                       object.at("task"),
                       object.at("step").get_ref<const std::uint64_t&>(),
                       object.at("steps").get_ref<const std::uint64_t&>(),
                       object.at("rate"),
                       std::min(object.at("silence").get<double>(), kLongestSilence)};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

bool is_process_gone(const json& object) {
  try {
    const std::string machine = object.at("machine"), started = object.at("started");
    if (machine.empty() || machine != own_machine()) return false;
    return start_of_process(object.at("process").get_ref<const std::uint64_t&>()) != started;
  } catch (const json::exception&) {
    return false;
  }
}

// In place: network file systems look at the file itself when it is opened, but may take a minute to notice that its
// name belongs to another file; and a full disk has room for what it holds already. Returns 0, or the error number.
int write_in_place(const fs::path& path, const std::string& text) {
  const auto open = [&] {
    std::error_code reported_by_opening;
    fs::create_directories(path.parent_path(), reported_by_opening);
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  };
  int descriptor = open();
  if (descriptor < 0 && errno == ENOENT) descriptor = open();  // others may have taken the folder for one left behind
  FileHandle file(descriptor);
  if (!file.is_open()) return errno;
  if (::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return errno != 0 ? errno : ENOSPC;
  return file.close();
}

// Of workers that were killed between the creation of their folder and the first sign of life, or that are just there.
std::vector<fs::path> folders_without_life(const fs::path& sweep) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(sweep / kWorkers, none)) {
    std::error_code missing;
    const auto size = fs::file_size(entry.path() / kHeartbeat, missing);
    std::error_code unreadable;
    if (missing ? fs::is_empty(entry.path(), unreadable) : size == 0) folders.push_back(entry.path());
  }
  return folders;
}

}  // namespace

std::string unique_worker_name() {
  return fmt::format("{}-{}-{:04x}", host_name(), ::getpid(), std::random_device()() & 0xffff);
}

fs::path worker_folder(const fs::path& sweep, const std::string& worker) {
  return sweep / kWorkers / worker;
}

void remove_worker_folder(const fs::path& folder) {
  std::error_code left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, left)) {
    std::error_code ignored;
    if (entry.path().filename() != kHeartbeat) fs::remove_all(entry.path(), ignored);
  }
  fs::remove_all(folder, left);
}

void remove_workers_never_heard(const fs::path& sweep) {
  const std::vector<fs::path> before = folders_without_life(sweep);
  if (before.empty()) return;
  std::this_thread::sleep_for(kToShowLife);
  for (const fs::path& folder : folders_without_life(sweep)) {
    if (std::ranges::find(before, folder) == before.end()) continue;
    std::error_code used;
    fs::remove(folder / kHeartbeat, used);
    fs::remove(folder, used);
  }
}

Heartbeat::Heartbeat(const fs::path& folder, WorkerState state, std::function<void()> on_beat)
    : file_(worker_folder(folder, state.name) / kHeartbeat), on_beat_(std::move(on_beat)), state_(std::move(state)) {
  state_.host = host_name();
  // Who cannot show that it lives must not take a task: others would wait for it in vain.
  if (const int error = beat(); error != 0) {
    remove_worker_folder(file_.parent_path());
    throw Error(
        fmt::format("cannot write {}: {}; check the disk and the permissions", file_.string(), std::strerror(error)));
  }
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex waiting;
    std::condition_variable_any ended;
    std::unique_lock lock(waiting);
    const auto pause = std::chrono::duration<double>(pause_of(state_.silence));
    while (!ended.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
      try {
        beat();
        on_beat_();
      } catch (const std::exception&) {  // a file system that does not answer may do so the next time
      }
    }
  });
}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  thread_.join();
  if (leaves_) remove_worker_folder(file_.parent_path());
}

int Heartbeat::beat() {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    text = to_text(state_, ++beats_);
    // A shorter text would be followed by the end of the last one, if the process were killed before it is cut off.
    text.insert(text.size() - 1, longest_ - std::min(longest_, text.size()), ' ');
    longest_ = text.size();
  }
  return write_in_place(file_, text);
}

void Heartbeat::show(const std::string& task, std::uint64_t step, std::uint64_t steps) {
  const double now = seconds_since_start_of_clock();
  const std::lock_guard lock(mutex_);
  const auto count_from_here = [&] { rate_since_ = now, rate_from_ = step; };
  const double elapsed = now - rate_since_;
  if (task != state_.task) {
    state_.rate = 0;
    is_rate_settled_ = false;
    count_from_here();
  } else if (elapsed > 0 && (!is_rate_settled_ || elapsed >= kRatePeriod)) {
    state_.rate = static_cast<double>(step - rate_from_) / elapsed;
    if (elapsed >= kRatePeriod) {
      is_rate_settled_ = true;
      count_from_here();
    }
  }
  state_.task = task;
  state_.step = step;
  state_.steps = steps;
}

WorkerWatch::WorkerWatch(fs::path folder) : WorkerWatch(std::move(folder), seconds_since_start_of_clock) {}

WorkerWatch::WorkerWatch(fs::path folder, Clock clock) : folder_(std::move(folder)), clock_(std::move(clock)) {}

void WorkerWatch::look() {
  const double now = clock_();
  seen_.clear();
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / kWorkers, missing)) {
    const std::string name = entry.path().filename().string();
    std::string text;
    try {
      text = read_text(entry.path() / kHeartbeat);
    } catch (const Error&) {
      continue;  // it has left
    }
    const auto [memory, is_new] = memory_.try_emplace(name, Memory{text, now});
    if (memory->second.text != text) memory->second = {text, now, true};
    const json object = parse_json(text);
    Seen seen;
    if (const auto state = parse_state(name, object)) seen.state = *state;
    seen.state.name = name;
    seen.quiet = now - memory->second.since;
    seen.was_heard = memory->second.was_heard;
    seen.is_gone = seen.quiet >= seen.state.silence || is_process_gone(object);
    seen_.emplace(name, std::move(seen));
  }
}

bool WorkerWatch::is_gone(const std::string& worker) {
  if (const auto found = seen_.find(worker); found != seen_.end()) return found->second.is_gone;
  const auto [memory, is_new] = memory_.try_emplace(worker, Memory{"", clock_()});
  if (!memory->second.text.empty()) memory->second = {"", clock_()};
  return clock_() - memory->second.since >= WorkerState{}.silence;
}

}  // namespace firn::study
