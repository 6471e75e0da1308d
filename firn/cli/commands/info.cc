#include "firn/cli/commands/info.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/config.h"
#include "firn/cli/preset.h"
#include "firn/cli/session.h"
#include "firn/train/checkpoint.h"
#include "firn/train/step.h"

namespace firn {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kClasses = 10;  // of every data set whose size is known beforehand

std::string shape_text(const Shape& shape) {
  if (shape.height == 1 && shape.width == 1) return format_count(shape.channels);
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

Shape encoded_shape(const Config& config, Shape sample) {
  const bool thresholds = config.encode.encoding == "uniform" || config.encode.encoding == "distributive";
  return {sample.channels * (thresholds ? config.encode.thresholds : 1), sample.height, sample.width};
}

bool is_safetensors(const std::filesystem::path& file) {
  return file.extension() == ".safetensors";
}

class Info final : public Command {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("FILE", file_, "Configuration, name of a preset, or checkpoint")->required()->type_name("");
    sets_.add_to(app);
  }

  int run() override {
    const std::filesystem::path file = preset_file(file_);
    is_safetensors(file) ? show_checkpoint(file) : show_config(file);
    return kDone;
  }

 private:
  void show_config(const std::filesystem::path& file) const {
    const Config config = load_config(file, sets_.overrides());
    const Shape input = encoded_shape(config, known_sample_shape(config.data));
    const auto model = build_model(config.model, input, kClasses, config.seed);
    fmt::print("configuration {}: {} on {}, {} steps of {}\n\n", file.string(), config.model.family, config.data.source,
               format_count(config.train.steps), config.train.batch);
    describe_model(*model, config);
  }

  static void show_checkpoint(const std::filesystem::path& file) {
    const Checkpoint checkpoint = Checkpoint::read(file);
    const Config config = parse_config(checkpoint.header().config, fmt::format("configuration in {}", file.string()));
    const Encoder encoder = checkpoint.encoder();
    const auto model = build_model(config.model, encoder.output_shape(), checkpoint.header().outputs, config.seed);
    restore_model(checkpoint, *model);
    fmt::print("checkpoint {}: {} on {}, after step {} of {}; {} encoding\n\n", file.string(), config.model.family,
               config.data.source, format_count(checkpoint.header().step), format_count(config.train.steps),
               encoder.parts().encoding);
    describe_model(*model, config);
  }

  static void describe_model(const Model& model, const Config& config) {
    TextTable table({{"layer"},
                     {"kind"},
                     {"output", Align::kRight},
                     {"neurons", Align::kRight},
                     {"logits", Align::kRight},
                     {"applications", Align::kRight},
                     {"frozen", Align::kRight}});
    std::size_t applications = 0;
    for (std::size_t l = 0; l < model.layer_count(); ++l) {
      const Layer& layer = model.layer(l);
      applications += layer.forward_applications();
      std::size_t neurons = 0, frozen = 0;
      for (const Neurons* group : layer.neurons()) {
        neurons += group->count();
        frozen += group->frozen_count();
      }
      table.add({layer.name(), layer.describe(), shape_text(layer.output().shape), format_count(neurons),
                 format_count(neurons * kSlots), format_count(layer.forward_applications()),
                 neurons == 0
                     ? ""
                     : fmt::format("{:.1f} %", 100.0 * static_cast<double>(frozen) / static_cast<double>(neurons))});
    }
    fmt::print("{}\n", table.str());
    fmt::print("{} logits; {} relaxed gate applications a sample\n", format_count(model.parameters()),
               format_count(applications));
    fmt::print("training needs about {:.0f} MB on two threads, besides the data\n", training_megabytes(model, config));
  }

  // Logits, weights, scores and two moments; a workspace per thread; gradient sums per shard.
  static double training_megabytes(const Model& model, const Config& config) {
    const std::size_t threads = 2, shards = (config.train.batch + config.train.shard - 1) / config.train.shard;
    std::size_t bytes = 5 * model.parameters() * sizeof(float);
    for (const Matrix<float>& sums : model.make_sums().layers) bytes += (shards + 1) * sums.bytes();
    bytes += threads * (model.make_workspace(config.train.shard, /*with_gradients=*/true).bytes() +
                        model.make_workspace(32, /*with_gradients=*/false).bytes());
    return static_cast<double>(bytes) / (1 << 20);
  }

  std::string file_;
  SetOption sets_;
};

}  // namespace

std::unique_ptr<Command> make_info() {
  return std::make_unique<Info>();
}

}  // namespace firn
