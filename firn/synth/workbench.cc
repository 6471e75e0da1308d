#include "firn/synth/workbench.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "firn/base/file.h"
#include "firn/base/process.h"

namespace firn::synth {

namespace {

std::filesystem::path new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "firn-synth-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error(fmt::format("cannot make the folder {}: {}", pattern, std::strerror(errno)));
  return pattern;
}

// Programs print what went wrong at the end.
std::string last_line(const std::string& output) {
  return output.substr(output.rfind('\n') + 1);
}

}  // namespace

Workbench::Workbench(const WorkbenchSettings& settings) : settings_(settings), folder_(new_folder()) {}

Workbench::~Workbench() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Workbench::write(std::string_view name, std::string_view text) const {
  write_file(folder_ / name, text);
}

std::string Workbench::read(std::string_view name) const {
  return read_text(folder_ / name);
}

std::string Workbench::run(const std::vector<std::string>& command) const {
  const ProgramResult result = run_program(command, folder_, {settings_.seconds, settings_.may_go_on},
                                           {fmt::format("TMPDIR={}", folder_.string())});
  switch (result.end) {
    case ProgramResult::End::kTimedOut:
      throw TimedOut(fmt::format("{} had not finished after {:.0f} s", command[0], settings_.seconds));
    case ProgramResult::End::kStopped:
      throw Stopped(fmt::format("{} was stopped", command[0]));
    case ProgramResult::End::kExited:
      break;
  }
  if (result.exit_code != 0)
    throw Error(fmt::format("{} failed with exit code {}: {}", command[0], result.exit_code, last_line(result.output)));
  return result.output;
}

}  // namespace firn::synth
