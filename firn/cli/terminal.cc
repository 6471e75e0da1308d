#include "firn/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace firn::cli {

Terminal inspect_terminal(std::FILE* stream) {
  Terminal terminal;
  const int descriptor = fileno(stream);
  if (!isatty(descriptor)) return terminal;
  const char* no_color = std::getenv("NO_COLOR");
  terminal.colour = no_color == nullptr || *no_color == '\0';
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
  return terminal;
}

}  // namespace firn::cli
