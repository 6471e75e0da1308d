#include "firn/cli/print_line.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace firn::cli {

void print_line(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno != EPIPE) throw std::system_error(errno, std::generic_category());
  // What is left in the buffer would fail again when the program ends.
  if (std::freopen("/dev/null", "w", stdout) == nullptr) throw std::system_error(errno, std::generic_category());
}

}  // namespace firn::cli
