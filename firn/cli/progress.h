// Prints progress to a terminal as one line that keeps changing, and to anything else as a plain line now and then.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "firn/base/progress.h"

namespace firn::cli {

// Where progress goes.
struct Screen {
  std::function<void(std::string_view)> write;
  std::function<std::size_t()> columns;  // the width now; empty when this is not a terminal
};

Screen error_stream();  // stderr, so that results on stdout stay clean

class ProgressPrinter {
 public:
  ProgressPrinter(Screen screen, Progress::Clock clock);
  ~ProgressPrinter();  // whatever is printed next starts on a line of its own
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  // May be called as often as one likes; most calls print nothing. The last state is always printed.
  void show(const Progress& progress, std::string_view extra = {});

 private:
  bool live() const { return static_cast<bool>(screen_.columns); }

  Screen screen_;
  Progress::Clock clock_;
  double next_ = 0;  // no printing before this moment
  bool line_is_open_ = false;
};

}  // namespace firn::cli
