#include "firn/study/settle.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/source.h"
#include "firn/data/split.h"
#include "firn/study/config_text.h"
#include "firn/study/session.h"
#include "firn/study/suggest.h"

namespace firn::study {

namespace {

constexpr const char* kAutomatic = "auto";

bool is_open_key(const Config& config, const std::string& key) {
  return std::ranges::find(config.open, key) != config.open.end();
}

// Whoever says how wide or deep the network is means dense layers: lists have neither key.
bool names_dense_sizes(const Config& config) {
  return !is_open_key(config, "model.width") || !is_open_key(config, "model.layers");
}

void settle_split(Config& config) {
  if (config.data.split == kAutomatic) config.data.split = automatic_split(config.data.source);
}

// Every key that is left has its value in the settings already: the one it has always had.
void settle_as_ever(Config& config) {
  config.model.family = ModelSettings{}.family;
  config.open.clear();
}

void apply(const Suggestions& suggestions, Config& config) {
  const KeyTable keys = describe(config);
  for (const Suggestion& s : suggestions.keys)
    if (s.key == "model.family" || is_open_key(config, s.key)) FIRN_CHECK(keys.find(s.key)->set(s.value));
  config.model.layer = suggestions.layers;
  config.open.clear();
}

}  // namespace

Config open_config(const Parts& parts) {
  Config config;
  config.parts = &parts;
  config.data.split = kAutomatic;
  config.model.family = kAutomatic;
  config.open.assign(suggested_keys().begin(), suggested_keys().end());
  return config;
}

bool is_open(const Config& config) {
  return config.model.family == kAutomatic;
}

Config settle(Config config, const Dataset& data) {
  settle_split(config);
  if (!is_open(config)) return config;
  if (known_sample_shape(config.data))
    settle_as_ever(config);
  else
    apply(suggest(data, {.examples = split_train(data, config.data).train.size(),
                         .may_convolve = !names_dense_sizes(config),
                         .thresholds = is_open_key(config, "encode.thresholds") ? 0 : config.encode.thresholds}),
          config);
  return config;
}

Config settle(Config config, const std::string& data_root) {
  if (!is_open(config) || known_sample_shape(config.data)) return settle(std::move(config), Dataset{});
  DataSettings settings = config.data;
  settings.root = data_root;
  return settle(std::move(config), load_dataset(settings));
}

Config settle_like(Config config, const Config& settled) {
  if (config.data.split == kAutomatic) config.data.split = settled.data.split;
  if (!is_open(config)) return config;
  Config source = settled;  // tables bind to objects they may change
  const KeyTable from = describe(source), to = describe(config);
  for (const std::string& key : config.open) FIRN_CHECK(to.find(key)->set(from.find(key)->get()));
  config.model.family = settled.model.family;
  config.model.layer = settled.model.layer;
  config.open.clear();
  return config;
}

}  // namespace firn::study
