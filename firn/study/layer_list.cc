#include "firn/study/layer_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/study/model_info.h"
#include "firn/study/settle.h"
#include "firn/study/toml_text.h"

namespace firn::study {

std::string read_layer(const toml::table& section, std::size_t number, const LayerKinds& kinds, ListedLayer& layer) {
  const std::optional<std::string> kind = section["kind"].value<std::string>();
  if (!kind) return fmt::format("layer {} needs a kind, such as kind = \"{}\"", number, kinds.front().name);
  layer.kind = *kind;
  // In the order of the file: the parser sorts tables by name.
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : section) entries.emplace_back(&key, &node);
  std::ranges::sort(entries, {}, [](const auto& entry) {
    const toml::source_position& begin = entry.first->source().begin;
    return std::pair(begin.line, begin.column);
  });
  for (const auto& [key, node] : entries) {
    if (key->str() == "kind") continue;
    const std::optional<Value> value = to_value(*node);
    if (!value) return fmt::format("layer {}: {} must be a number or a string", number, key->str());
    layer.values.emplace_back(key->str(), *value);
  }
  try {
    check_keys(layer, number, kinds);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string to_toml(const std::vector<ListedLayer>& layers) {
  std::string out;
  for (const ListedLayer& layer : layers) {
    out += fmt::format("\n[[model.layer]]\nkind = {}\n", to_toml(Value(layer.kind)));
    for (const auto& [key, value] : layer.values) out += fmt::format("{} = {}\n", to_toml_key(key), to_toml(value));
  }
  return out;
}

Config with_listed_layers(const Config& config, const std::string& data_root) {
  const Config settled = settle(config, data_root);
  Config listed = settled;
  ModelSettings& model = listed.model;
  model = {};
  model.family = "list";
  model.layer = expand_layers(settled.model, encoded_sample_shape(settled, data_root));
  model.init = settled.model.init;
  model.residual = settled.model.residual;
  model.tau = settled.model.tau;
  return listed;
}

}  // namespace firn::study
