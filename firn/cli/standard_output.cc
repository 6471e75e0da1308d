#include "firn/cli/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

namespace firn::cli {

namespace {

constexpr std::string_view kName = "/dev/stdout";

bool names_standard_output(std::string_view word) {
  return word == kName || word.ends_with("=/dev/stdout") || word == "-o/dev/stdout";
}

}  // namespace

std::vector<std::string> free_standard_output(int argc, const char* const* argv) {
  std::vector<std::string> words(argv, argv + argc);
  int copy = -1;
  for (std::string& word : words) {
    if (!names_standard_output(word)) continue;
    if (copy < 0) copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return words;
    word.replace(word.size() - kName.size(), kName.size(), fmt::format("/dev/fd/{}", copy));
  }
  return words;
}

}  // namespace firn::cli
