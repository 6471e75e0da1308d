#include "firn/study/sweep_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/left_behind.h"
#include "firn/study/config_values.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

// The first key in which the configuration of a folder differs from this one; nothing if the folder has none.
std::optional<ConfigDifference> difference_from(const RunFolder& folder, const Config& config) {
  if (!fs::exists(folder.config())) return std::nullopt;
  return first_difference(read_stored_config(read_text(folder.config()), folder.config().string(), *config.parts),
                          config);
}

// The same for a prefix, which may have kept fewer checkpoints than are wanted now: it is then trained past them again.
std::optional<ConfigDifference> difference_from_prefix(const RunFolder& folder, const Config& config) {
  if (!fs::exists(folder.config())) return std::nullopt;
  StoredConfig stored = read_stored_config(read_text(folder.config()), folder.config().string(), *config.parts);
  stored.config.train.keep_at = config.train.keep_at;
  return first_difference(stored, config);
}

void refuse(const RunFolder& folder, const std::optional<ConfigDifference>& difference) {
  if (!difference) return;
  throw Error(
      fmt::format("{} holds a run of another configuration: {} is {} there and {} here; choose another "
                  "folder, or remove it",
                  folder.path().string(), difference->key, difference->first, difference->second));
}

// The folder among those of prefixes whose configuration says the same, whatever it is called: names have changed with
// versions. One that cannot be read belongs to somebody else.
std::optional<fs::path> name_with_config(const fs::path& folders, const Config& config) {
  if (!fs::is_directory(folders)) return std::nullopt;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folders)) {
    const RunFolder folder(entry.path());
    try {
      if (fs::exists(folder.config()) && !difference_from_prefix(folder, config))
        found.push_back(entry.path().filename());
    } catch (const Error&) {
      continue;
    }
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::min_element(found);
}

}  // namespace

void check_same_config(const RunFolder& folder, const Config& config) {
  refuse(folder, difference_from(folder, config));
}

SweepBoard::SweepBoard(std::vector<SweepRun> runs, PrefixPlan prefixes, fs::path folder)
    : folder_(std::move(folder)), runs_(std::move(runs)), prefixes_(std::move(prefixes)) {
  const fs::path folders = "prefixes";
  for (std::size_t p = 0; p < prefixes_.prefixes.size(); ++p) {
    const SweepRun& run = prefixes_.prefixes[p].run;
    prefix_places_.push_back(folders / name_with_config(folder_ / folders, run.config).value_or(run.name));
    tasks_.push_back({true, p});
    for (std::size_t r = 0; r < runs_.size(); ++r)
      if (prefixes_.forks[r] && prefixes_.forks[r]->prefix == p) tasks_.push_back({false, r});
  }
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (!prefixes_.forks[r]) tasks_.push_back({false, r});
  for (const SweepTask& task : tasks_) {
    const RunFolder own(path_of(task));
    const Config& config = run_of(task).config;
    refuse(own, task.is_prefix ? difference_from_prefix(own, config) : difference_from(own, config));
  }
}

const SweepRun& SweepBoard::run_of(const SweepTask& task) const {
  return task.is_prefix ? prefixes_.prefixes[task.index].run : runs_[task.index];
}

fs::path SweepBoard::place_of(const SweepTask& task) const {
  return task.is_prefix ? prefix_places_[task.index] : fs::path("runs") / runs_[task.index].name;
}

std::optional<SweepTask> SweepBoard::prefix_of(const SweepTask& task) const {
  if (task.is_prefix || !prefixes_.forks[task.index]) return std::nullopt;
  return SweepTask{true, prefixes_.forks[task.index]->prefix};
}

std::uint64_t SweepBoard::first_step(const SweepTask& task) const {
  if (task.is_prefix || !prefixes_.forks[task.index]) return 0;
  return prefixes_.forks[task.index]->step;
}

std::uint64_t SweepBoard::last_step(const SweepTask& task) const {
  return task.is_prefix ? prefixes_.prefixes[task.index].forks.back() : runs_[task.index].config.train.steps;
}

std::uint64_t SweepBoard::total_steps() const {
  std::uint64_t steps = 0;
  for (const SweepTask& task : tasks_) steps += last_step(task) - first_step(task);
  return steps;
}

bool SweepBoard::is_done(const SweepTask& task) const {
  const RunFolder folder(path_of(task));
  if (!task.is_prefix) return result_of(task.index).has_value();
  return std::ranges::all_of(prefixes_.prefixes[task.index].run.config.train.keep_at,
                             [&](std::uint64_t step) { return fs::exists(folder.kept(step)); });
}

std::optional<TestResult> SweepBoard::result_of(std::size_t run) const {
  return read_result(RunFolder(path_of({false, run})));
}

std::vector<std::optional<TestResult>> SweepBoard::results() const {
  std::vector<std::optional<TestResult>> results;
  for (std::size_t r = 0; r < runs_.size(); ++r) results.push_back(result_of(r));
  return results;
}

void SweepBoard::remove_left_behind() const {
  firn::remove_left_behind(folder_);
  std::error_code gone;  // others remove folders meanwhile
  for (fs::recursive_directory_iterator at(folder_, gone), end; at != end; at.increment(gone))
    if (std::error_code ignored; fs::is_directory(at->symlink_status(ignored))) firn::remove_left_behind(at->path());
}

}  // namespace firn::study
