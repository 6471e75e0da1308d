// How fast bytes travel between ranks, through the same calls that training makes: every rank exchanges messages of one
// size with its neighbour, both ways at once. Start it with mpirun on an even number of ranks; rank 0 prints one JSON
// object per line with the median time.
//
//   mpirun -n 2 --mca btl tcp,self build/release/bench/bench_ranks

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/ranks.h"

namespace firn {
namespace {

double median_seconds(Ranks& ranks, std::size_t bytes, int repetitions) {
  const std::vector<std::byte> own(bytes, static_cast<std::byte>(ranks.rank()));
  std::vector<std::byte> theirs(bytes);
  const int other = ranks.rank() ^ 1;
  const Ranks::Outgoing outgoing{other, own};
  const Ranks::Incoming incoming{other, theirs};
  std::vector<double> seconds;
  for (int i = -repetitions / 10; i < repetitions; ++i) {
    const Stopwatch watch;
    ranks.exchange({&outgoing, 1}, {&incoming, 1});
    if (i >= 0) seconds.push_back(watch.seconds());
  }
  FIRN_CHECK(theirs.back() == static_cast<std::byte>(other));
  std::ranges::nth_element(seconds, seconds.begin() + repetitions / 2);
  return seconds[static_cast<std::size_t>(repetitions / 2)];
}

void run() {
  const auto ranks = join_ranks(/*timeout=*/60);
  if (ranks->size() % 2 != 0) throw Error("an even number of ranks is needed; start this with mpirun -n 2");
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 23}) {
    const double seconds = median_seconds(*ranks, bytes, bytes <= std::size_t{1} << 16 ? 400 : 40);
    if (ranks->is_first()) fmt::print("{{\"bytes\": {}, \"microseconds\": {:.2f}}}\n", bytes, 1e6 * seconds);
  }
}

}  // namespace
}  // namespace firn

int main() {
  try {
    firn::run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_ranks: {}\n", error.what());
    return 1;
  }
}
