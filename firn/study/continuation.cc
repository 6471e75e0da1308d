#include "firn/study/continuation.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/study/config_values.h"
#include "firn/train/schedule.h"

namespace firn::study {

namespace {

StoredConfig stored_in(const Checkpoint& checkpoint, const Config& config) {
  return read_stored_config(checkpoint.header().config, fmt::format("configuration in {}", checkpoint.source()),
                            *config.parts);
}

void check_length(const Checkpoint& checkpoint, const Config& config) {
  if (checkpoint.header().step > config.train.steps)
    throw Error(fmt::format("{} is after step {} already; train.steps = {} would be before it", checkpoint.source(),
                            checkpoint.header().step, config.train.steps));
}

}  // namespace

void check_resumable(const Checkpoint& checkpoint, const Config& config) {
  check_length(checkpoint, config);
  StoredConfig before = stored_in(checkpoint, config);
  before.config.name = config.name;
  if (before.config.train.steps != config.train.steps && schedule_from_name(config.train.schedule.name).spans_run)
    throw Error(
        fmt::format("{} was made with train.steps = {}, and the schedule \"{}\" spreads the learning rate over "
                    "all steps, so that the run cannot be made longer; start a new one",
                    checkpoint.source(), before.config.train.steps, config.train.schedule.name));
  if (!config.parts->strategy(config.freeze.strategy).depends_on_length) before.config.train.steps = config.train.steps;
  before.config.train.eval_every = config.train.eval_every;
  before.config.train.checkpoint_every = config.train.checkpoint_every;
  before.config.train.checkpoint_minutes = config.train.checkpoint_minutes;
  before.config.train.keep_at = config.train.keep_at;
  if (before.config.train.patience > 0 && config.train.patience > 0)
    before.config.train.patience = config.train.patience;  // only says how long the run is
  // Data that have moved are known by their fingerprints.
  if (checkpoint.header().data) {
    before.config.data.file = config.data.file;
    before.config.data.test_file = config.data.test_file;
  }
  if (const auto difference = first_difference(before, config))
    throw Error(
        fmt::format("{} was made with another configuration: {} was {} and is now {}; resume with the "
                    "configuration it was made with",
                    checkpoint.source(), difference->key, difference->first, difference->second));
}

void check_forkable(const Checkpoint& checkpoint, const Config& config) {
  check_length(checkpoint, config);
  const StoredConfig before = stored_in(checkpoint, config);
  const auto belongs_to_checkpoint = [](const KeyValue& v) {
    return v.key.starts_with("data.") || v.key.starts_with("encode.") || v.key.starts_with("model.");
  };
  StoredConfig fixed{config, {}};
  std::ranges::copy_if(before.foreign, std::back_inserter(fixed.foreign), belongs_to_checkpoint);
  fixed.config.data = before.config.data;
  fixed.config.encode = before.config.encode;
  fixed.config.model = before.config.model;
  if (const auto difference = first_difference(fixed, config))
    throw Error(
        fmt::format("{} was made with {} = {}, which a run that starts from it cannot change to {}; only "
                    "training may differ",
                    checkpoint.source(), difference->key, difference->first, difference->second));
  const auto& known = checkpoint.header().hooks;
  const bool is_new = std::ranges::find(known, config.freeze.strategy) == known.end();
  const bool acts = config.parts->strategy(config.freeze.strategy).acts;
  if (is_new && acts && config.freeze.start <= checkpoint.header().step)
    throw Error(
        fmt::format("{} is after step {}, and freeze.start = {} is not; set freeze.start to {} or later, so that "
                    "the strategy \"{}\" does not miss its start",
                    checkpoint.source(), checkpoint.header().step, config.freeze.start, checkpoint.header().step + 1,
                    config.freeze.strategy));
}

}  // namespace firn::study
