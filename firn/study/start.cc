#include "firn/study/start.h"

#include <fmt/format.h>

#include "firn/base/error.h"
#include "firn/base/file.h"

namespace firn::study {

std::unique_ptr<Run> start_run(const Config& config, const RunFolder& folder, const StartParams& params,
                               Threads& threads) {
  if (!params.resume && folder.holds_run())
    throw Error(fmt::format("{} already holds a run; resume it, or choose another folder", folder.path().string()));
  folder.make();
  auto run = std::make_unique<Run>(config, params.data_root, threads);
  const auto warn = [&](std::string_view warning) {
    if (params.on_warning) params.on_warning(warning);
  };
  std::optional<Checkpoint> newest;
  if (params.resume) newest = folder.newest(warn);
  if (newest)
    run->resume(*newest);
  else if (params.from)
    run->fork(*params.from);
  write_file(folder.config(), to_toml(config));  // a longer run stays longer when it is resumed again
  if (!newest && params.from) run->save(folder);
  return run;
}

}  // namespace firn::study
