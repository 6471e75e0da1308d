// Which runs of a sweep can share their first steps: those that differ only in what happens from the freeze start on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/study/config.h"

namespace firn::study {

// A run of a sweep; `name` is that of its folder.
struct SweepRun {
  std::string name;
  Config config;
};

// The common beginning of several runs, trained once without any strategy. It keeps a checkpoint at every fork,
// and at those earlier steps whose checkpoints a run that forks there is to keep.
struct Prefix {
  SweepRun run;
  std::vector<std::uint64_t> forks;  // steps after which runs leave it, ascending
};

// Where a run leaves its prefix.
struct Fork {
  std::size_t prefix;
  std::uint64_t step;
};

struct PrefixPlan {
  std::vector<Prefix> prefixes;
  std::vector<std::optional<Fork>> forks;  // one for each run; nothing where nothing is shared
};

// A run with freeze start s forks after step s - 1: no strategy has a state before step s, but some act in step s
// itself, on the weights of its forward pass, so every fork takes step s itself, with its own strategy.
PrefixPlan plan_prefixes(std::span<const SweepRun> runs);

}  // namespace firn::study
