#include "firn/study/start.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/table_sums.h"
#include "firn/study/output_file.h"
#include "firn/study/same_data.h"
#include "firn/study/settle.h"
#include "firn/train/rank_agreement.h"

namespace firn::study {

namespace {

bool is_of_a_run(const std::filesystem::path& config, const Parts& parts) {
  if (std::filesystem::is_symlink(config)) return false;
  try {
    const std::string text = read_text(config);
    return to_toml(read_stored_config(text, config.string(), parts).config) == text;
  } catch (const Error&) {
    return false;
  }
}

// A run that was killed before its first checkpoint has left its configuration; any other one is the user's. Whoever
// resumes such a run may have changed it.
void check_no_other_config(const RunFolder& folder, const Parts& parts, bool resume) {
  const std::filesystem::path file = folder.config();
  if (!std::filesystem::exists(std::filesystem::symlink_status(file)) || is_of_a_run(file, parts)) return;
  if (resume && !std::filesystem::is_symlink(file)) return;
  throw Error(
      fmt::format("{} was not written by a run and would be overwritten; move the file away, or choose another folder",
                  file.string()));
}

// Training replaces none of what it reads.
void check_inputs(const RunFolder& folder, const Config& config, const StartParams& params) {
  std::vector<std::filesystem::path> inputs = files_of_data(config, params.data_root);
  // That of a run which was killed before its first checkpoint is written again as it is.
  if (!params.resume && !is_of_a_run(folder.config(), *config.parts)) inputs.push_back(params.config_file);
  for (const std::filesystem::path& output :
       {folder.config(), folder.metrics(), folder.freezes(), folder.result(), folder.log()})
    check_output(output, inputs);
}

}  // namespace

std::optional<OutputFolder> open_run_folder(const RunFolder& folder, bool resume, const std::function<bool()>& wait,
                                            Ranks& ranks) {
  std::optional<OutputFolder> opened = open_on_first_rank(folder.path(), wait, ranks);
  if (opened && !resume && folder.holds_run())
    throw Error(fmt::format("{} already holds a run; resume it, or choose another folder", folder.path().string()));
  return opened;
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
  if (!newest && ranks.is_first()) check_no_other_config(folder, *run.config().parts, params.resume);
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
  std::optional<OutputFolder> opened = open_run_folder(folder, params.resume, params.wait, ranks);
  if (ranks.is_first() && !folder.holds_run()) check_inputs(folder, config, params);
  auto run = std::make_unique<Run>(params.resume ? as_in_folder(config, folder, ranks) : config, params.data_root,
                                   threads, ranks);
  if (opened) run->keep(std::move(*opened));
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
