#include "firn/study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/parse_json.h"
#include "firn/base/safetensors.h"
#include "firn/base/table_sums.h"
#include "firn/circuit/lower.h"
#include "firn/infer/model_file.h"
#include "firn/train/checkpoint.h"
#include "firn/train/run_folder.h"
#include "firn/train/test_result.h"

namespace firn::study {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Side {
  std::vector<KeyValue> config;
  std::vector<std::pair<std::string, double>> results;
};

// What the clock says is not a result, and what is part of the configuration is compared there.
bool is_left_out(const std::string& key) {
  return key == "ms_per_step" || key == "seconds_left" || key == "seed" || key == "confusion";
}

// Numbers at the leaves. Members of a list are called by their name where they have one.
void flatten(const json& node, const std::string& name, std::vector<std::pair<std::string, double>>& out) {
  if (node.is_number()) out.emplace_back(name, node.get<double>());
  if (node.is_object())
    for (const auto& [key, inner] : node.items())
      if (!is_left_out(key)) flatten(inner, name + "." + key, out);
  for (std::size_t i = 0; node.is_array() && i < node.size(); ++i) {
    const bool named = node[i].is_object() && node[i].contains("name") && node[i]["name"].is_string();
    flatten(node[i], name + "." + (named ? node[i]["name"].get<std::string>() : std::to_string(i)), out);
  }
}

std::vector<KeyValue> config_values(const std::string& text, const fs::path& source) {
  const StoredConfig stored = read_stored_config(text, source.string());
  std::vector<KeyValue> values = values_of(stored.config);
  for (const KeyValue& foreign : stored.foreign) {
    const auto own = std::ranges::find(values, foreign.key, &KeyValue::key);
    own == values.end() ? values.push_back(foreign) : void(own->value = foreign.value);
  }
  return values;
}

// The evaluation at `step`, or the last one. A line that is still being written does not count.
std::optional<json> evaluation(const fs::path& metrics, std::optional<std::uint64_t> step) {
  std::optional<json> found;
  if (!fs::exists(metrics)) return found;
  std::istringstream in(read_checked_table(metrics));
  for (std::string line; std::getline(in, line);) {
    json object = parse_json(line);
    if (!object.is_object() || !object.contains("step")) continue;
    if (!step || object["step"] == *step) found = std::move(object);
  }
  return found;
}

Side side_of_folder(const fs::path& path) {
  const RunFolder folder(path);
  if (!fs::exists(folder.config()))
    throw Error(
        fmt::format("{} is not the folder of a run; name one, a checkpoint or a compiled model", path.string()));
  Side side{config_values(read_text(folder.config()), folder.config()), {}};
  if (fs::exists(folder.result())) flatten(read_result_json(folder), "test", side.results);
  if (const auto last = evaluation(folder.metrics(), {})) flatten(*last, "validation", side.results);
  return side;
}

Side side_of_file(const fs::path& path) {
  const SafetensorsFile tensors = SafetensorsFile::read(path);
  if (!Checkpoint::recognizes(tensors)) {
    const CircuitModel model = parse_model(tensors);
    Side side{model.config.empty() ? std::vector<KeyValue>{} : config_values(model.config, path), {}};
    side.results.emplace_back("circuit.unrolled", static_cast<double>(unrolled_gates(model.network)));
    if (model.netlist) side.results.emplace_back("circuit.gates", static_cast<double>(model.netlist->gates.size()));
    return side;
  }
  const Checkpoint checkpoint = Checkpoint::read(path);
  Side side{config_values(checkpoint.header().config, path), {}};
  const std::uint64_t step = checkpoint.header().step;
  const fs::path metrics = RunFolder(path.parent_path()).metrics();
  if (const auto own = evaluation(metrics, step))
    flatten(*own, "validation", side.results);
  else
    side.results.emplace_back("validation.step", static_cast<double>(step));
  return side;
}

Side side_of(const fs::path& path) {
  if (fs::is_directory(path)) return side_of_folder(path);
  if (path.filename() == "result.json") {
    if (!fs::exists(path))
      throw Error(fmt::format("{} does not exist; is the run still going? Name its folder instead", path.string()));
    return side_of_folder(path.parent_path());
  }
  return side_of_file(path);
}

std::vector<ConfigDifference> differences(const std::vector<KeyValue>& first, const std::vector<KeyValue>& second) {
  std::vector<ConfigDifference> found;
  const auto value_in = [](const std::vector<KeyValue>& values, const std::string& key) {
    const auto at = std::ranges::find(values, key, &KeyValue::key);
    return at == values.end() ? "absent" : at->value;
  };
  for (const KeyValue& v : first)
    if (const std::string other = value_in(second, v.key); other != v.value) found.push_back({v.key, v.value, other});
  for (const KeyValue& v : second)
    if (std::ranges::find(first, v.key, &KeyValue::key) == first.end()) found.push_back({v.key, "absent", v.value});
  return found;
}

std::vector<ResultPair> pairs(const Side& first, const Side& second) {
  std::map<std::string, ResultPair> by_name;
  for (const auto& [name, value] : first.results) by_name[name].first = value;
  for (const auto& [name, value] : second.results) by_name[name].second = value;
  std::vector<ResultPair> all;
  for (auto& [name, pair] : by_name) all.push_back({name, pair.first, pair.second});
  return all;
}

}  // namespace

RunComparison compare(const fs::path& first, const fs::path& second) {
  const Side a = side_of(first), b = side_of(second);
  return {differences(a.config, b.config), pairs(a, b)};
}

}  // namespace firn::study
