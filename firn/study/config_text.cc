#include "firn/study/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "firn/base/nearest.h"
#include "firn/data/split.h"
#include "firn/study/argument_error.h"
#include "firn/study/layer_list.h"
#include "firn/study/sections.h"
#include "firn/study/settle.h"
#include "firn/study/toml_text.h"

namespace firn::study {
namespace {

std::string_view kind(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "this list";
  if (node.is_string()) return "this string";
  return "a date or time";
}

std::string show(const toml::node& node, const std::optional<Value>& value) {
  constexpr std::size_t kLongest = 60;  // more would drown the sentence
  const std::string text = value ? to_toml(*value) : std::string();
  return text.empty() || text.size() > kLongest ? std::string(kind(node)) : text;
}

// Gives the key its value; returns what is wrong with it, or an empty string.
std::string assign(Config& config, const Key& key, const toml::node& node) {
  const std::optional<Value> value = to_value(node);
  if (value && key.set(*value)) {
    std::erase(config.open, key.name);
    return {};
  }
  std::string complaint = fmt::format("{} must be {}, not {}", key.name, key.expected, show(node, value));
  if (const auto* text = value ? std::get_if<std::string>(&*value) : nullptr)
    complaint += suggestion(*text, key.choices);
  return complaint;
}

std::string unknown_key(const KeyTable& keys, std::string_view name) {
  if (keys.has_section(name)) return fmt::format("{} is a section, not a key; write its keys under [{}]", name, name);
  const std::string near = suggestion(name, keys.key_names());
  return fmt::format("unknown key {}{}", name, near.empty() ? "; `firn config keys` lists all keys" : near);
}

std::string unknown_section(const KeyTable& keys, std::string_view name) {
  const std::string near = suggestion(name, keys.section_names());
  return fmt::format("unknown section [{}]{}", name, near.empty() ? "; `firn config keys` lists all keys" : near);
}

// Something in a file that is no key, or no value of its key.
struct Complaint {
  std::uint32_t line, column;
  std::string sentence;
  KeyValue written;
};

// Walks a parsed file and collects what is wrong with it: the parser's tables are sorted by name, but the mistake to
// report is the first one in the file.
class FileReader {
  static constexpr const char* kLayers = "model.layer";

 public:
  FileReader(const KeyTable& keys, Config& config) : keys_(keys), config_(config) {}

  void read(const toml::table& table, const std::string& prefix = "") {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + to_toml_key(key.str());
      if (name == kLayers)
        read_layers(key, node);
      else if (const Key* known = keys_.find(name))
        complain(node.source().begin, assign(config_, *known, node), name, node);
      else if (!node.is_table())
        complain(key.source().begin, unknown_key(keys_, name), name, node);
      else if (keys_.has_section(name))
        read(*node.as_table(), name + ".");
      else
        complain(key.source().begin, unknown_section(keys_, name), name, node);
    }
  }

  // In the order of the file.
  std::vector<Complaint> complaints() const {
    std::vector<Complaint> sorted = complaints_;
    std::ranges::sort(sorted, {}, [](const Complaint& c) { return std::pair(c.line, c.column); });
    return sorted;
  }

 private:
  void complain(const toml::source_position& where, std::string sentence, const std::string& key,
                const toml::node& node) {
    if (sentence.empty()) return;
    complaints_.push_back({where.line, where.column, std::move(sentence), {key, show(node, to_value(node))}});
  }

  // Whoever lists layers need not name the family.
  void read_layers(const toml::key& key, const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list == nullptr || !list->is_array_of_tables())
      return complain(key.source().begin, "model.layer is a list of sections; write each under [[model.layer]]",
                      kLayers, node);
    std::vector<ListedLayer>& layers = config_.model.layer;
    for (const toml::node& section : *list) {
      ListedLayer& layer = layers.emplace_back();
      complain(section.source().begin,
               read_layer(*section.as_table(), layers.size(), config_.parts->layer_kinds, layer), kLayers, section);
    }
  }

  const KeyTable& keys_;
  Config& config_;
  std::vector<Complaint> complaints_;
};

// A file that lists layers and names no family means the list.
void settle_family(const toml::table& table, Config& config) {
  if (!config.model.layer.empty() && !table.at_path("model.family")) config.model.family = "list";
}

// Whoever names the family leaves nothing to the data; and not every source is divided in more than one way.
void close(Config& config) {
  if (!is_open(config)) config.open.clear();
  if (config.data.split == "auto" && automatic_split(config.data.source) == "uniform") config.data.split = "uniform";
}

// A table with one value, because nodes live in tables; nothing if `text` is not exactly one value.
std::optional<toml::table> parse_one_value(std::string_view text) {
  try {
    toml::table table = parse_toml(fmt::format("value = {}", text), "value");
    if (table.size() == 1) return table;
  } catch (const Error&) {
  }
  return std::nullopt;
}

// The value of an override: TOML if it is one, else the text itself, such as mnist in data.source=mnist.
toml::table parse_override_value(const Key& key, const Override& override) {
  const auto value = parse_one_value(override.value);
  if (value && (!key.is_text || value->begin()->second.is_string())) return *value;
  const auto text = parse_one_value(to_toml(Value(override.value)));
  if (!text) throw ArgumentError(fmt::format("{}: the value of {} is not UTF-8 text", override.origin, key.name));
  return *text;
}

void apply(Config& config, const KeyTable& keys, const Override& override) {
  const Key* key = keys.find(override.key);
  if (!key) throw ArgumentError(fmt::format("{}: {}", override.origin, unknown_key(keys, override.key)));
  const toml::table table = parse_override_value(*key, override);
  const std::string complaint = assign(config, *key, table.begin()->second);
  if (!complaint.empty()) throw ArgumentError(fmt::format("{}: {}", override.origin, complaint));
}

}  // namespace

KeyTable describe(Config& config) {
  KeyTable table;
  table.section("", "");
  table.add("name", config.name, "A name for this configuration, shown in reports.");
  table.add("seed", config.seed, "Seed of every random choice of the run except the data split.");
  describe(table, config.data);
  describe(table, config.encode);
  describe(table, config.model);
  describe(table, config.train);
  describe(table, config.resample);
  describe(table, config.area);
  describe(table, config.freeze, *config.parts);
  return table;
}

namespace {

// Reads the text on top of `config`.
Config read_config(Config config, std::string_view text, std::string_view name, std::span<const Override> overrides) {
  const KeyTable keys = describe(config);
  const toml::table table = parse_toml(text, name);
  FileReader reader(keys, config);
  reader.read(table);
  settle_family(table, config);
  if (const auto complaints = reader.complaints(); !complaints.empty()) {
    const Complaint& first = complaints.front();
    throw Error(fmt::format("{}:{}:{}: {}", name, first.line, first.column, first.sentence));
  }
  for (const Override& override : overrides) apply(config, keys, override);
  close(config);
  check_settings(config.model);
  check_settings(config.train);
  return config;
}

// Where keys that a file of an older version lacks have the values that they had then.
Config stored_base(const Parts& parts) {
  Config config;
  config.parts = &parts;
  return config;
}

}  // namespace

Config parse_config(std::string_view text, std::string_view name, std::span<const Override> overrides,
                    const Parts& parts) {
  return read_config(open_config(parts), text, name, overrides);
}

Config parse_stored_config(std::string_view text, std::string_view name, std::span<const Override> overrides,
                           const Parts& parts) {
  return read_config(stored_base(parts), text, name, overrides);
}

StoredConfig read_stored_config(std::string_view text, std::string_view name, const Parts& parts) {
  StoredConfig stored{stored_base(parts), {}};
  const KeyTable keys = describe(stored.config);
  const toml::table table = parse_toml(text, name);
  FileReader reader(keys, stored.config);
  reader.read(table);
  settle_family(table, stored.config);
  for (const Complaint& complaint : reader.complaints()) stored.foreign.push_back(complaint.written);
  return stored;
}

Config load_config(const std::filesystem::path& file, std::span<const Override> overrides, const Parts& parts) {
  if (std::filesystem::is_directory(file))
    throw Error(fmt::format("{} is a folder; give the path of a TOML file", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw Error(
        fmt::format("{} cannot be read ({}); give the path of a TOML file", file.string(), std::strerror(errno)));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return parse_config(text, file.string(), overrides, parts);
}

std::string to_toml(const Config& config) {
  Config copy = config;  // the table binds to an object it may change
  const KeyTable table = describe(copy);
  std::string out;
  for (const Section& section : table.sections()) {
    if (!section.name.empty()) out += fmt::format("\n# {}\n[{}]\n", section.doc, section.name);
    for (const Key& key : section.keys) {
      const std::string short_name = key.name.substr(section.name.empty() ? 0 : section.name.size() + 1);
      if (std::ranges::find(config.open, key.name) != config.open.end()) {
        out += fmt::format("# {} Must be {}; left to the data.\n# {} =\n", key.doc, key.expected, short_name);
        continue;
      }
      out += fmt::format("# {} Must be {}.\n{} = {}\n", key.doc, key.expected, short_name, to_toml(key.get()));
    }
    if (section.name == "model") out += to_toml(config.model.layer);
  }
  return out;
}

}  // namespace firn::study
