#include "firn/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "firn/base/text_width.h"

namespace firn::cli {

namespace {

constexpr double kLiveSeconds = 0.1;  // faster than the eye reads
constexpr double kPlainSeconds = 30;  // a log of a day stays under three thousand lines

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Screen error_stream() {
  Screen screen;
  screen.write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  if (isatty(STDERR_FILENO)) screen.columns = terminal_columns;
  return screen;
}

ProgressPrinter::ProgressPrinter(Screen screen, Progress::Clock clock)
    : screen_(std::move(screen)), clock_(std::move(clock)), next_(clock_()) {}

ProgressPrinter::~ProgressPrinter() {
  if (line_is_open_) screen_.write("\n");
}

void ProgressPrinter::show(const Progress& progress, std::string_view extra) {
  const double now = clock_();
  if (now < next_ && !progress.finished()) return;
  next_ = now + (live() ? kLiveSeconds : kPlainSeconds);
  if (!live()) {
    screen_.write(progress.line(extra) + "\n");
    return;
  }
  // The last column stays free: some terminals wrap as soon as it is filled. "\x1b[K" erases what was longer before.
  const std::size_t columns = std::max<std::size_t>(screen_.columns(), 2) - 1;
  screen_.write(fmt::format("\r{}\x1b[K", fit_to_width(progress.line(extra), columns)));
  line_is_open_ = true;
}

}  // namespace firn::cli
