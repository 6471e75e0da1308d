#include "firn/cli/on_ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "firn/cli/app.h"

namespace firn::cli {

namespace {

// Whoever speaks first ends all processes, which takes a second where they are busy, so that others who found the same
// thing say nothing.
void wait_for_lower_ranks(int rank) {
  if (rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1500 + 20 * rank));
}

}  // namespace

int run_on_ranks(double timeout, const std::function<int(Ranks&)>& body) {
  const std::unique_ptr<Ranks> ranks = join_ranks(timeout);
  if (ranks->is_alone()) return body(*ranks);
  bool has_failed = false;
  const int code = run_guarded([&] { return body(*ranks); },
                               [&](const std::string& sentence) {
                                 has_failed = true;
                                 wait_for_lower_ranks(ranks->rank());
                                 print_failure(fmt::format("rank {}: {}", ranks->rank(), sentence));
                               });
  std::fflush(stdout);
  if (has_failed) ranks->abort(code);
  return code;
}

}  // namespace firn::cli
