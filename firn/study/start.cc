#include "firn/study/start.h"

#include <fmt/format.h>

#include "firn/base/error.h"
#include "firn/base/file.h"

namespace firn::study {

void make_run_folder(const RunFolder& folder, bool resume) {
  if (!resume && folder.holds_run())
    throw Error(fmt::format("{} already holds a run; resume it, or choose another folder", folder.path().string()));
  folder.make();
}

void begin_run(Run& run, const RunFolder& folder, const StartParams& params) {
  const auto warn = [&](std::string_view warning) {
    if (params.on_warning) params.on_warning(warning);
  };
  std::optional<Checkpoint> newest;
  if (params.resume) newest = folder.newest(warn);
  if (newest)
    run.resume(*newest);
  else if (params.from)
    run.fork(*params.from);
  write_file(folder.config(), to_toml(run.config()));  // a longer run stays longer when it is resumed again
  if (!newest && params.from) run.save(folder);
}

std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads) {
  make_run_folder(folder, params.resume);
  auto run = std::make_unique<Run>(config, params.data_root, threads);
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
