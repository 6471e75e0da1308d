#include "firn/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
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

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  FIRN_CHECK(!command.empty());
  Pipe pipe;
  SpawnActions actions;
  posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.value, pipe.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions.value, pipe.ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions.value, folder.c_str());

  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions.value, nullptr, arguments.data(), environ);
  if (error != 0) return {127, fmt::format("cannot run {}: {}", command[0], std::strerror(error))};
  pipe.close_end(1);  // so that reading ends when the program does
  std::string output = read_all(pipe.ends[0]);
  return {wait_for(child), std::move(output)};
}

}  // namespace firn
