#include "firn/cli/commands/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/printable.h"
#include "firn/base/progress.h"
#include "firn/base/safetensors.h"
#include "firn/base/table.h"
#include "firn/circuit/lower.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/usage_error.h"
#include "firn/infer/model_file.h"
#include "firn/study/circuit_source.h"
#include "firn/study/config_text.h"
#include "firn/study/model_info.h"
#include "firn/study/preset.h"
#include "firn/study/session.h"
#include "firn/study/settle.h"
#include "firn/study/thresholds.h"
#include "firn/train/checkpoint.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

std::string shape_text(const Shape& shape) {
  if (shape.height == 1 && shape.width == 1) return format_count(shape.channels);
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

// Tensors begin with the length of their header and a brace; a configuration is text.
bool is_safetensors(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 9> start{};
  return in.read(start.data(), start.size()) && start.back() == '{';
}

std::string kind_text(const LayerDescription& layer) {
  if (is_placed_once(layer)) return layer.gates > 1 ? fmt::format("{} gates per unit", layer.gates) : "dense";
  if (is_pool(layer)) return "OR of 2x2";
  return fmt::format("{} filters of {} gates, {}x{} pad {} stride {}{}", format_count(layer.units()), layer.gates,
                     layer.window.height, layer.window.width, layer.border(), layer.stride,
                     layer.pool.size() > 1 ? fmt::format(", OR of {}x{}", layer.pool.height, layer.pool.width) : "");
}

class Info final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("FILE", file_, "Configuration, name of a preset, checkpoint or compiled model")
        .required()
        .type_name("");
    options.add_flag("--thresholds", thresholds_, "Instead: what the encoder compares each feature with");
    options.add_flag("--json", json_, "With --thresholds: as JSON, for programs");
    sets_.add_to(options);
    data_root_.add_to(options);
  }

  int run() override {
    if (json_ && !thresholds_) throw UsageError("--json belongs to --thresholds");
    if (std::error_code error; std::filesystem::is_other(file_, error))
      throw Error(fmt::format("{} is a pipe, a socket or a device; name a file", file_));
    if (thresholds_) {
      show_thresholds();
      return kDone;
    }
    std::filesystem::exists(file_) && is_safetensors(file_) ? show_tensors(file_) : show_config();
    return kDone;
  }

 private:
  void show_config() const {
    const Config config = settle(load_named_config(file_, sets_.overrides()), data_root_.resolve());
    const ModelInfo info = info_of(config, data_root_.resolve());
    fmt::print("configuration {}: {} on {}, {} steps of {}\n\n", file_, config.model.family, config.data.source,
               format_count(config.train.steps), config.train.batch);
    print_model(info);
  }

  void show_thresholds() const {
    const CircuitSource source = load_circuit(file_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", file_));
    const Encoder& encoder = source.model->encoder;
    const std::vector<ThresholdGroup> groups = threshold_groups(*source.model);
    json_ ? print_json(encoder, groups) : print_table(groups);
  }

  static void print_table(const std::vector<ThresholdGroup>& groups) {
    TextTable table({{"index", TextTable::Align::kRight},
                     {"feature"},
                     {"values"},
                     {"missing"},
                     {"bit t is 1 where the value is above threshold t, from t = 0"}});
    for (const ThresholdGroup& group : groups)
      table.add({group.count == 1 ? std::to_string(group.first)
                                  : fmt::format("{} to {}", group.first, group.first + group.count - 1),
                 group.name, group.flag ? fmt::format("{} if set, else 0", *group.flag) : "numbers",
                 group.fill ? fmt::format("becomes {}", *group.fill) : "-",
                 fmt::format("{}", fmt::join(group.thresholds, ", "))});
    fmt::print("{}", table.str());
  }

  static void print_json(const Encoder& encoder, const std::vector<ThresholdGroup>& groups) {
    nlohmann::json features = nlohmann::json::array();
    for (const ThresholdGroup& group : groups) {
      // With the digits that a float needs, and no more.
      std::vector<double> thresholds;
      for (const float threshold : group.thresholds) thresholds.push_back(std::stod(fmt::format("{}", threshold)));
      features.push_back({{"name", printable(group.name)},
                          {"first", group.first},
                          {"count", group.count},
                          {"thresholds", thresholds}});
      if (group.fill) features.back()["missing"] = std::stod(fmt::format("{}", *group.fill));
      if (group.flag) features.back()["set"] = *group.flag;
    }
    const nlohmann::json object = {
        {"encoding", encoder.parts().encoding}, {"values", encoder.parts().values}, {"features", features}};
    fmt::print("{}\n", object.dump(2));
  }

  static void show_tensors(const std::filesystem::path& file) {
    SafetensorsFile tensors = SafetensorsFile::read(file);
    if (Checkpoint::recognizes(tensors))
      show_checkpoint(Checkpoint::parse(std::move(tensors)));
    else
      show_circuit(parse_model(tensors), file);
  }

  static void show_checkpoint(const Checkpoint& checkpoint) {
    const auto [config, encoder, model] = rebuild_model(checkpoint);
    fmt::print("checkpoint {}: {} on {}, after step {} of {}; {} encoding\n\n", checkpoint.source(),
               config.model.family, config.data.source, format_count(checkpoint.header().step),
               format_count(config.train.steps), encoder.parts().encoding);
    print_model(info_of(*model, config));
    print_classes(checkpoint.header().class_names);
  }

  static void print_classes(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 20;
    if (names.empty()) return;
    const std::size_t shown = std::min(names.size(), kMost);
    fmt::print("classes: {}{}\n", printable(fmt::format("{}", fmt::join(std::span(names).first(shown), ", "))),
               shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
  }

  static void show_circuit(const CircuitModel& model, const std::filesystem::path& file) {
    const BooleanNetwork& network = model.network;
    fmt::print("model {}: {} {} encoding to {} bits, {}\n\n", file.string(),
               shape_text(model.encoder.parts().input_shape), model.encoder.parts().encoding,
               format_count(network.input.size()),
               network.head.is_value ? std::string("a value") : fmt::format("{} classes", model.classes()));
    TextTable table({{"layer"}, {"kind"}, {"output", Align::kRight}, {"gates", Align::kRight}});
    for (const BooleanLayer& layer : network.layers)
      table.add({layer.wiring.name, kind_text(layer.wiring), shape_text(layer.wiring.output),
                 format_count(layer.gates.size())});
    fmt::print("{}\n{}\n", table.str(), gate_mix(network).str());
    fmt::print("{} gates unrolled; ", format_count(unrolled_gates(network)));
    if (model.netlist)
      fmt::print("{} left in the circuit\n", format_count(model.netlist->gates.size()));
    else
      fmt::print("run layer by layer, without a circuit\n");
    print_classes(model.class_names);
  }

  // How often every gate occurs, as the network has them before simplification.
  static TextTable gate_mix(const BooleanNetwork& network) {
    std::vector<TextTable::Column> columns{{"gate"}};
    for (const BooleanLayer& layer : network.layers) columns.push_back({layer.wiring.name, Align::kRight});
    TextTable table(columns);
    for (int gate = 0; gate < kGates; ++gate) {
      std::vector<std::string> row{std::string(name(static_cast<Gate>(gate)))};
      for (const BooleanLayer& layer : network.layers)
        row.push_back(
            format_count(static_cast<std::uint64_t>(std::ranges::count(layer.gates, static_cast<Gate>(gate)))));
      table.add(row);
    }
    return table;
  }

  static void print_model(const ModelInfo& info) {
    TextTable table({{"layer"},
                     {"kind"},
                     {"output", Align::kRight},
                     {"neurons", Align::kRight},
                     {"logits", Align::kRight},
                     {"applications", Align::kRight},
                     {"frozen", Align::kRight}});
    for (const LayerInfo& layer : info.layers) {
      const double frozen = 100.0 * static_cast<double>(layer.frozen) / static_cast<double>(layer.neurons);
      table.add({layer.name, layer.kind, shape_text(layer.output), format_count(layer.neurons),
                 format_count(layer.neurons * kSlots), format_count(layer.applications),
                 layer.neurons == 0 ? "" : fmt::format("{:.1f} %", frozen)});
    }
    fmt::print("{}\n", table.str());
    fmt::print("{} logits; {} relaxed gate applications a sample\n", format_count(info.logits),
               format_count(info.applications));
    fmt::print("training needs about {:.0f} MB on two threads, besides the data\n", info.training_megabytes);
  }

  std::string file_;
  bool thresholds_ = false, json_ = false;
  SetOption sets_;
  DataRootOption data_root_;
};

}  // namespace

std::unique_ptr<Command> make_info() {
  return std::make_unique<Info>();
}

}  // namespace firn::cli
