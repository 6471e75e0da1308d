#include "firn/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "firn/base/error.h"

extern char** environ;

namespace firn {
namespace {

// The two ends of a pipe, closed when they are no longer needed.
struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot start a program: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int i) {
    const int end = std::exchange(ends[i], -1);
    if (end >= 0) ::close(end);
  }
  int ends[2] = {-1, -1};
};

struct SpawnActions {
  SpawnActions() { posix_spawn_file_actions_init(&value); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&value); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t value;
};

struct SpawnAttributes {
  SpawnAttributes() { posix_spawnattr_init(&value); }
  ~SpawnAttributes() { posix_spawnattr_destroy(&value); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  posix_spawnattr_t value;
};

using End = ProgramResult::End;

// Whether limits have been reached, asked again and again.
class Watch {
 public:
  explicit Watch(const ProgramLimits& limits) : limits_(limits), start_(Clock::now()) {}

  bool has_limits() const { return limits_.seconds > 0 || limits_.may_go_on; }
  End state() const {
    if (limits_.may_go_on && !limits_.may_go_on()) return End::kStopped;
    return limits_.seconds > 0 && seconds_left() <= 0 ? End::kTimedOut : End::kExited;
  }
  // Until it is worth asking again.
  int milliseconds() const {
    if (limits_.seconds <= 0) return kAskMilliseconds;
    return static_cast<int>(std::clamp(std::ceil(1e3 * seconds_left()), 0.0, 1.0 * kAskMilliseconds));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kAskMilliseconds = 100;

  double seconds_left() const { return limits_.seconds - std::chrono::duration<double>(Clock::now() - start_).count(); }

  const ProgramLimits& limits_;
  Clock::time_point start_;
};

// Appends what a program writes until it has closed its end or a limit is reached.
End read_all(int descriptor, const Watch& watch, std::string& text) {
  std::array<char, 4096> buffer;
  for (;;) {
    if (watch.has_limits()) {
      if (const End end = watch.state(); end != End::kExited) return end;
      pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, watch.milliseconds()) <= 0) continue;
    }
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return End::kExited;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// Of two variables as in "NAME=value".
bool same_name(std::string_view a, std::string_view b) {
  return a.substr(0, a.find('=')) == b.substr(0, b.find('='));
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const ProgramLimits& limits, const std::vector<std::string>& environment) {
  FIRN_CHECK(!command.empty());
  Pipe pipe;
  SpawnActions actions;
  posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.value, pipe.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions.value, pipe.ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions.value, folder.c_str());
  const Watch watch(limits);
  SpawnAttributes attributes;
  if (watch.has_limits()) {
    posix_spawnattr_setflags(&attributes.value, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes.value, 0);
  }

  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  // Programs disagree on which of two variables of one name counts.
  std::vector<char*> variables;
  for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
  for (char** own = environ; *own != nullptr; ++own)
    if (std::ranges::none_of(environment, [&](const std::string& given) { return same_name(given, *own); }))
      variables.push_back(*own);
  variables.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions.value, &attributes.value, arguments.data(), variables.data());
  if (error != 0) return {127, fmt::format("cannot run {}: {}", command[0], std::strerror(error))};
  pipe.close_end(1);  // so that reading ends when the program does
  ProgramResult result;
  try {
    result.end = read_all(pipe.ends[0], watch, result.output);
  } catch (...) {  // whoever was asked whether to go on
    ::kill(-child, SIGKILL);
    wait_for(child);
    throw;
  }
  if (result.end != End::kExited) ::kill(-child, SIGKILL);
  while (!result.output.empty() && (result.output.back() == '\n' || result.output.back() == '\r'))
    result.output.pop_back();
  result.exit_code = wait_for(child);
  return result;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

}  // namespace firn
