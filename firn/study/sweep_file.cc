#include "firn/study/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/study/argument_error.h"
#include "firn/study/config_text.h"
#include "firn/study/preset.h"
#include "firn/study/session.h"
#include "firn/study/settle.h"
#include "firn/study/toml_text.h"

namespace firn::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariant = "variant";
constexpr std::size_t kMostPoints = 100'000;

// A key under [set], [grid] or a variant, with the place where the file says so.
struct Leaf {
  std::string key;
  const toml::node* node;
};

bool stands_before(const toml::source_position& a, const toml::source_position& b) {
  return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

// One value of an axis: what it is called and what it sets.
struct Choice {
  std::string label;
  std::vector<Override> overrides;
};
struct Axis {
  std::string key;
  std::vector<Choice> choices;
};

// The names of the runs so far.
class RunNames {
 public:
  // The name, or with a number after it where another run has it already.
  std::string unlike_others(const std::string& name) {
    std::string candidate = name;
    int& last = last_.try_emplace(name, 1).first->second;
    while (!taken_.insert(candidate).second) candidate = fmt::format("{},{}", name, ++last);
    return candidate;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  // number after a name
};

class SweepReader {
 public:
  SweepReader(const fs::path& file, const Parts& parts)
      : file_(file), parts_(parts), document_(parse_toml(read_text(file), file.string())) {}

  SweepFile read() {
    check_sections();
    const std::string base = base_name();
    const std::vector<Override> common = overrides_of(table_at("set"));
    std::vector<Axis> axes = read_variants();
    for (Axis& axis : read_grid()) axes.push_back(std::move(axis));
    SweepFile sweep;
    sweep.name = document_["name"].value_or(file_.stem().string());
    for (const Axis& axis : axes) {
      sweep.axes.push_back({axis.key, {}});
      for (const Choice& choice : axis.choices) sweep.axes.back().values.push_back(choice.label);
    }
    expand(sweep, axes, base, common);
    return sweep;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& sentence) const {
    const auto& where = node.source().begin;
    throw Error(fmt::format("{}:{}:{}: {}", file_.string(), where.line, where.column, sentence));
  }

  void check_sections() const {
    for (const auto& [key, node] : document_)
      if (key != "name" && key != "base" && key != "set" && key != "grid" && key != "variants")
        fail(node, fmt::format("unknown key {}; a sweep has name, base, [set], [grid] and [variants.NAME]", key.str()));
    if (const auto name = document_["name"]; name && !name.is_string()) fail(*name.node(), "name must be a string");
  }

  // A file beside the sweep, a file, or the name of a preset.
  std::string base_name() const {
    const auto base = document_["base"].value<std::string>();
    if (!base)
      throw Error(
          fmt::format("{}: base is missing; name a preset or a configuration file, such as base = \"treelogicnet-xs\"",
                      file_.string()));
    const fs::path beside = file_.parent_path() / *base;
    std::error_code missing;  // or its name is too long to be one of a file
    return fs::is_regular_file(beside, missing) ? beside.string() : *base;
  }

  const toml::table* table_at(std::string_view key) const {
    const auto node = document_[key];
    if (node && !node.is_table()) fail(*node.node(), fmt::format("{} must be a table", key));
    return node.as_table();
  }

  // The leaves of a table, dotted, in the order of the file: the parser sorts tables by name.
  static std::vector<Leaf> leaves_of(const toml::table* table) {
    std::vector<Leaf> leaves;
    const auto collect = [&](const auto& self, const toml::table& inner, const std::string& prefix) -> void {
      for (const auto& [key, node] : inner) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* deeper = node.as_table())
          self(self, *deeper, name + ".");
        else
          leaves.push_back({name, &node});
      }
    };
    if (table) collect(collect, *table, "");
    std::ranges::sort(leaves, [](const Leaf& a, const Leaf& b) {
      return stands_before(a.node->source().begin, b.node->source().begin);
    });
    return leaves;
  }

  Override override_of(const std::string& key, const toml::node& node) const {
    const std::optional<Value> value = to_value(node);
    if (!value) fail(node, fmt::format("{} takes no value of this kind", key));
    const auto& where = node.source().begin;
    return {key, to_toml(*value), fmt::format("{}:{}:{}", file_.string(), where.line, where.column)};
  }

  std::vector<Override> overrides_of(const toml::table* table) const {
    std::vector<Override> overrides;
    for (const Leaf& leaf : leaves_of(table)) overrides.push_back(override_of(leaf.key, *leaf.node));
    return overrides;
  }

  std::vector<Axis> read_variants() const {
    const toml::table* table = table_at("variants");
    if (!table || table->empty()) return {};
    std::vector<std::pair<std::string, const toml::node*>> variants;
    for (const auto& [key, node] : *table) {
      if (!node.is_table()) fail(node, fmt::format("variants.{} must be a table of keys", key.str()));
      variants.emplace_back(key.str(), &node);
    }
    std::ranges::sort(variants, [](const auto& a, const auto& b) {
      return stands_before(a.second->source().begin, b.second->source().begin);
    });
    Axis axis{kVariant, {}};
    for (const auto& [name, node] : variants) axis.choices.push_back({name, overrides_of(node->as_table())});
    return {axis};
  }

  std::vector<Axis> read_grid() const {
    std::vector<Axis> axes;
    for (const Leaf& leaf : leaves_of(table_at("grid"))) {
      const toml::array* list = leaf.node->as_array();
      if (!list || list->empty())
        fail(*leaf.node, fmt::format("grid.{} must be a list of values to try, such as [1, 2, 3]", leaf.key));
      Axis axis{leaf.key, {}};
      for (const toml::node& element : *list) {
        const Override override = override_of(leaf.key, element);
        axis.choices.push_back(
            {element.is_string() ? element.value<std::string>().value() : override.value, {override}});
      }
      axes.push_back(std::move(axis));
    }
    return axes;
  }

  Config configure(const std::string& base, const std::vector<Override>& overrides) const {
    try {
      Config config = load_named_config(base, overrides, parts_);
      if (config.name.empty()) config.name = fs::path(base).stem().string();
      if (is_open(config) && !known_sample_shape(config.data))
        throw Error(
            fmt::format("{}: {} leaves the model to the data; a sweep needs model.family and what goes with it written "
                        "down, as `firn config init` does",
                        file_.string(), base));
      return settle(std::move(config), Dataset{});
    } catch (const ArgumentError& error) {
      throw Error(error.what());  // here overrides stand in a file, too
    }
  }

  void expand(SweepFile& sweep, const std::vector<Axis>& axes, const std::string& base,
              const std::vector<Override>& common) const {
    std::size_t count = 1;
    for (const Axis& axis : axes) {
      count *= axis.choices.size();
      if (count > kMostPoints)
        throw Error(fmt::format("{}: the grid has more than {} points; make it smaller", file_.string(), kMostPoints));
    }
    std::vector<Config> configs;
    for (std::size_t p = 0; p < count; ++p) {
      SweepPoint point{std::vector<std::size_t>(axes.size()), 0};
      std::size_t rest = p;
      for (std::size_t a = axes.size(); a-- > 0; rest /= axes[a].choices.size())
        point.values[a] = rest % axes[a].choices.size();
      std::vector<Override> overrides = common;
      for (std::size_t a = 0; a < axes.size(); ++a)
        for (const Override& o : axes[a].choices[point.values[a]].overrides) overrides.push_back(o);
      configs.push_back(configure(base, overrides));
      sweep.points.push_back(std::move(point));
    }
    assign_runs(sweep, configs);
  }

  // For a strategy that never acts the start has no effect on training, and neither has what happens to resampling
  // then. Such runs count their best step from the latest start of the grid on.
  static void assign_runs(SweepFile& sweep, std::vector<Config>& configs) {
    std::uint64_t latest = 0;
    for (const Config& config : configs)
      if (config.freeze.start <= config.train.steps) latest = std::max(latest, config.freeze.start);
    std::map<std::string, std::size_t> runs;
    RunNames names;
    for (std::size_t p = 0; p < configs.size(); ++p) {
      Config& config = configs[p];
      const bool plain = !config.parts->strategy(config.freeze.strategy).acts;
      if (plain) {
        config.freeze.start = std::min(latest, config.train.steps);
        config.resample.after_start = ResampleSettings{}.after_start;
      }
      const auto [found, fresh] = runs.emplace(to_toml(config), sweep.runs.size());
      if (fresh) sweep.runs.push_back({names.unlike_others(name_of(sweep, sweep.points[p], plain)), config});
      sweep.points[p].run = found->second;
    }
  }

  static std::string name_of(const SweepFile& sweep, const SweepPoint& point, bool plain) {
    std::string name;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      const std::string& key = sweep.axes[a].key;
      if (plain && (key == "freeze.start" || key == "resample.after_start")) continue;
      std::string part = fmt::format("{}{}={}", name.empty() ? "" : ",", key.substr(key.rfind('.') + 1),
                                     sweep.axes[a].values[point.values[a]]);
      for (char& c : part)
        if (!std::isalnum(static_cast<unsigned char>(c)) &&
            std::string_view("=,.+-_").find(c) == std::string_view::npos)
          c = '_';
      name += part;
    }
    if (name.empty()) name = "run";
    constexpr std::size_t kLongest = 200;  // file systems allow 255 bytes
    name.resize(std::min(name.size(), kLongest));
    return name;
  }

  fs::path file_;
  const Parts& parts_;
  toml::table document_;
};

}  // namespace

SweepFile load_sweep(const fs::path& file, const Parts& parts) {
  return SweepReader(file, parts).read();
}

}  // namespace firn::study
