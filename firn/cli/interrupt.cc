#include "firn/cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace firn::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> received = 0;  // a signal handler can reach nothing else

void handle(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (int signal : kSignals)
    if (std::signal(signal, handle) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  for (int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);
}

bool InterruptGuard::interrupted() const {
  return received != 0;
}

int InterruptGuard::exit_code() const {
  return 128 + received;
}

}  // namespace firn::cli
