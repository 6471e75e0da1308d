#include "firn/study/config_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "firn/base/random.h"
#include "firn/study/toml_text.h"

namespace firn::study {

namespace {

constexpr const char* kNowhere = "not a key of this version";

struct PlacedValue {
  std::pair<std::uint32_t, std::uint32_t> place;  // line and column
  KeyValue value;
};

// Works on what to_toml() writes, so that whatever a configuration comes to hold is compared without being listed here.
void flatten(const toml::node& node, const std::string& name, std::vector<PlacedValue>& out) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, inner] : *table)
      flatten(inner, name.empty() ? to_toml_key(key.str()) : name + "." + to_toml_key(key.str()), out);
  } else if (const toml::array* list = node.as_array(); list && list->is_array_of_tables()) {
    for (std::size_t i = 0; i < list->size(); ++i) flatten(*list->get(i), fmt::format("{}[{}]", name, i), out);
  } else {
    const auto& begin = node.source().begin;
    out.push_back({{begin.line, begin.column}, {name, to_toml(to_value(node).value())}});
  }
}

// The first key whose values differ, or which only one of the two lists has.
std::optional<ConfigDifference> first_difference(const std::vector<KeyValue>& first,
                                                 const std::vector<KeyValue>& second) {
  std::map<std::string_view, std::string_view> values;
  for (const KeyValue& v : second) values[v.key] = v.value;
  for (const KeyValue& v : first) {
    const auto other = values.find(v.key);
    if (other == values.end()) return ConfigDifference{v.key, v.value, "absent"};
    if (other->second != v.value) return ConfigDifference{v.key, v.value, std::string(other->second)};
    values.erase(other);
  }
  for (const KeyValue& v : second)
    if (values.contains(v.key)) return ConfigDifference{v.key, "absent", v.value};
  return std::nullopt;
}

}  // namespace

std::vector<KeyValue> values_of(const Config& config) {
  std::vector<PlacedValue> placed;
  flatten(parse_toml(to_toml(config), "configuration"), "", placed);
  std::ranges::sort(placed, {}, &PlacedValue::place);
  std::vector<KeyValue> values;
  for (PlacedValue& v : placed) values.push_back(std::move(v.value));
  return values;
}

std::optional<ConfigDifference> first_difference(const Config& first, const Config& second) {
  return first_difference(values_of(first), values_of(second));
}

std::optional<ConfigDifference> first_difference(const StoredConfig& stored, const Config& config) {
  if (stored.foreign.empty()) return first_difference(stored.config, config);
  const KeyValue& foreign = stored.foreign.front();
  const std::vector<KeyValue> values = values_of(config);
  const auto own = std::ranges::find(values, foreign.key, &KeyValue::key);
  return ConfigDifference{foreign.key, foreign.value, own == values.end() ? kNowhere : own->value};
}

std::string fingerprint(const Config& config) {
  Config defaults;
  defaults.parts = config.parts;
  const std::vector<KeyValue> usual = values_of(defaults);
  std::string text;
  for (const KeyValue& v : values_of(config))
    if (std::ranges::find(usual, v) == usual.end()) text += fmt::format("{} = {}\n", v.key, v.value);
  return fmt::format("{:016x}", stream_id(text));
}

}  // namespace firn::study
