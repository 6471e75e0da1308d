#include "firn/cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace firn::cli {
namespace {

std::atomic<bool> was_interrupted = false;  // a signal handler can reach nothing else

void handle(int signal) {
  was_interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, handle);
}

InterruptGuard::~InterruptGuard() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::interrupted() const {
  return was_interrupted;
}

}  // namespace firn::cli
