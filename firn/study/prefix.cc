#include "firn/study/prefix.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "firn/study/config_values.h"

namespace firn::study {

namespace {

// What is left of a configuration when everything is taken away that has no effect before the freeze start.
Config beginning_of(const Config& config) {
  Config beginning = config;
  beginning.name = "prefix";
  beginning.freeze = {};
  beginning.freeze.scope = config.freeze.scope;
  beginning.resample.after_start = ResampleSettings{}.after_start;
  beginning.train.keep_at.clear();
  return beginning;
}

std::uint64_t fork_step(const Config& config) {
  const std::uint64_t start = config.freeze.start;
  return start > 1 && start <= config.train.steps ? start - 1 : 0;
}

void sort_once(std::vector<std::uint64_t>& steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
}

SweepRun prefix_run(Config config, std::vector<std::uint64_t> kept, std::uint64_t last_fork) {
  config.train.keep_at = std::move(kept);
  config.freeze.start = last_fork + 1;  // no step of a prefix is the best one
  return {fingerprint(config), config};
}

}  // namespace

PrefixPlan plan_prefixes(std::span<const SweepRun> runs) {
  std::map<std::string, std::vector<std::size_t>> groups;
  std::vector<std::string> order;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (fork_step(runs[r].config) == 0) continue;
    const std::string key = to_toml(beginning_of(runs[r].config));
    if (groups[key].empty()) order.push_back(key);
    groups[key].push_back(r);
  }
  PrefixPlan plan;
  plan.forks.resize(runs.size());
  for (const std::string& key : order) {
    const std::vector<std::size_t>& members = groups[key];
    if (members.size() < 2) continue;
    std::vector<std::uint64_t> forks, kept;
    for (std::size_t r : members) {
      forks.push_back(fork_step(runs[r].config));
      plan.forks[r] = {plan.prefixes.size(), forks.back()};
      std::ranges::copy_if(runs[r].config.train.keep_at, std::back_inserter(kept),
                           [&](std::uint64_t step) { return step < forks.back(); });
    }
    kept.insert(kept.end(), forks.begin(), forks.end());
    sort_once(forks);
    sort_once(kept);
    plan.prefixes.push_back(
        {prefix_run(beginning_of(runs[members.front()].config), std::move(kept), forks.back()), forks});
  }
  return plan;
}

}  // namespace firn::study
