#include "firn/study/prefix.h"

#include <algorithm>
#include <map>

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

SweepRun prefix_run(Config config, const std::vector<std::uint64_t>& forks) {
  config.train.keep_at = forks;
  config.freeze.start = forks.back() + 1;  // no step of a prefix is the best one
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
    std::vector<std::uint64_t> steps;
    for (std::size_t r : members) {
      steps.push_back(fork_step(runs[r].config));
      plan.forks[r] = {plan.prefixes.size(), steps.back()};
    }
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    plan.prefixes.push_back({prefix_run(beginning_of(runs[members.front()].config), steps), steps});
  }
  return plan;
}

}  // namespace firn::study
