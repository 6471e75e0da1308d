#include "firn/study/start.h"

#include <fmt/format.h>

#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/table_sums.h"
#include "firn/study/same_data.h"
#include "firn/study/settle.h"

namespace firn::study {

FolderLock open_run_folder(const RunFolder& folder, bool resume, const std::function<bool()>& wait) {
  folder.make();
  FolderLock lock(folder.path(), wait);
  if (!resume && folder.holds_run())
    throw Error(fmt::format("{} already holds a run; resume it, or choose another folder", folder.path().string()));
  return lock;
}

Config as_in_folder(const Config& config, const RunFolder& folder) {
  if (!std::filesystem::exists(folder.config())) return config;
  const std::string file = folder.config().string();
  return settle_like(config, read_stored_config(read_text(file), file, *config.parts).config);
}

void resume_run(Run& run, const RunFolder& folder, const Checkpoint& checkpoint) {
  run.resume(checkpoint);
  if (checkpoint.source() != folder.last().string()) run.save(folder);
}

void begin_run(Run& run, const RunFolder& folder, const StartParams& params) {
  const auto warn = [&](std::string_view warning) {
    if (params.on_warning) params.on_warning(warning);
  };
  std::optional<Checkpoint> newest;
  if (params.resume) newest = folder.newest(warn);
  if (const Checkpoint* start = newest ? &*newest : params.from)
    check_same_data(run.experiment().data, start->header(), start->source());
  if (!newest && params.from && params.from->header().data &&
      params.from->header().data->train != run.trainer().fingerprints().train)
    warn(fmt::format("the training examples have changed since {} was made", params.from->source()));
  // Before anything is said or written: training would refuse them, too.
  for (const std::filesystem::path& table : {folder.metrics(), folder.freezes()})
    if (newest && std::filesystem::exists(table)) read_checked_table(table);
  if (newest)
    resume_run(run, folder, *newest);
  else if (params.from)
    run.fork(*params.from);
  write_file(folder.config(), to_toml(run.config()));  // a longer run stays longer when it is resumed again
  if (!newest && params.from) run.save(folder);
}

std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads) {
  FolderLock lock = open_run_folder(folder, params.resume, params.wait);
  auto run = std::make_unique<Run>(params.resume ? as_in_folder(config, folder) : config, params.data_root, threads);
  run->keep(std::move(lock));
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
