#include "firn/study/start.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/table_sums.h"
#include "firn/study/same_data.h"
#include "firn/study/settle.h"
#include "firn/train/rank_agreement.h"

namespace firn::study {

namespace {

FolderLock open_alone(const RunFolder& folder, bool resume, const std::function<bool()>& wait) {
  folder.make();
  FolderLock lock(folder.path(), wait);
  if (!resume && folder.holds_run())
    throw Error(fmt::format("{} already holds a run; resume it, or choose another folder", folder.path().string()));
  return lock;
}

}  // namespace

// Rank 0 may wait for as long as it likes: now and then it tells the others that it still does.
std::optional<FolderLock> open_run_folder(const RunFolder& folder, bool resume, const std::function<bool()>& wait,
                                          Ranks& ranks) {
  std::uint8_t is_waiting = 1;
  const auto tell = [&] { ranks.broadcast(std::as_writable_bytes(std::span(&is_waiting, 1))); };
  std::optional<FolderLock> lock;
  if (ranks.is_first()) {
    lock.emplace(open_alone(folder, resume, [&] {
      if (!wait || !wait()) return false;
      tell();
      return true;
    }));
    is_waiting = 0;
    tell();
  } else {
    while (is_waiting != 0) tell();
  }
  return lock;
}

Config as_in_folder(const Config& config, const RunFolder& folder, Ranks& ranks) {
  const std::string file = folder.config().string();
  const std::string stored =
      ranks.broadcast(ranks.is_first() && std::filesystem::exists(folder.config()) ? read_text(file) : "");
  return stored.empty() ? config : settle_like(config, read_stored_config(stored, file, *config.parts).config);
}

void resume_run(Run& run, const RunFolder& folder, const Checkpoint& checkpoint) {
  run.resume(checkpoint);
  if (checkpoint.source() != folder.last().string()) run.save(folder);
}

void begin_run(Run& run, const RunFolder& folder, const StartParams& params) {
  const auto warn = [&](std::string_view warning) {
    if (params.on_warning) params.on_warning(warning);
  };
  Ranks& ranks = run.ranks();
  std::optional<Checkpoint> newest;
  if (params.resume && ranks.is_first()) newest = folder.newest(warn);
  if (params.resume && !ranks.is_alone()) newest = pass_to_all(newest, ranks);
  if (const Checkpoint* start = newest ? &*newest : params.from)
    check_same_data(run.experiment().data, start->header(), start->source());
  if (!newest && params.from && params.from->header().data &&
      params.from->header().data->train != run.trainer().fingerprints().train)
    warn(fmt::format("the training examples have changed since {} was made", params.from->source()));
  // Before anything is said or written: training would refuse them, too.
  for (const std::filesystem::path& table : {folder.metrics(), folder.freezes()})
    if (newest && ranks.is_first() && std::filesystem::exists(table)) read_checked_table(table);
  if (newest)
    resume_run(run, folder, *newest);
  else if (params.from)
    run.fork(*params.from);
  // A longer run stays longer when it is resumed again, and what it had reached is no longer its result.
  if (ranks.is_first()) write_file(folder.config(), to_toml(run.config()));
  if (ranks.is_first() && newest && !run.is_complete()) std::filesystem::remove(folder.result());
  if (!newest && params.from) run.save(folder);
}

std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads, Ranks& ranks) {
  std::optional<FolderLock> lock = open_run_folder(folder, params.resume, params.wait, ranks);
  auto run = std::make_unique<Run>(params.resume ? as_in_folder(config, folder, ranks) : config, params.data_root,
                                   threads, ranks);
  if (lock) run->keep(std::move(*lock));
  begin_run(*run, folder, params);
  return run;
}

std::optional<std::string> idle_strategy(const Config& config) {
  const FreezeSettings& freeze = config.freeze;
  if (!config.parts->strategy(freeze.strategy).acts || freeze.start < config.train.steps) return std::nullopt;
  return fmt::format(
      "freeze.start = {} is not before the last step, so the strategy \"{}\" never acts and no step is the best",
      freeze.start, freeze.strategy);
}

}  // namespace firn::study
