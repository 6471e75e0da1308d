#include "firn/model/presets.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/model/layers/dense.h"
#include "firn/model/layers/group_sum.h"
#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"
#include "firn/model/layers/tree_conv.h"

namespace firn {

namespace {

// Collects layers; each draws from a random stream of its own name, so that changing one leaves the others alone.
class Builder {
 public:
  Builder(const ModelSettings& settings, Shape input, std::uint64_t seed, float default_residual)
      : settings_(settings), shape_(input), seed_(seed) {
    if (settings.init != "residual" && settings.init != "gaussian")
      throw Error(fmt::format("there is no initialization \"{}\"; choose residual or gaussian", settings.init));
    init_.gaussian = settings.init == "gaussian";
    init_.residual = settings.residual != 0 ? static_cast<float>(settings.residual) : default_residual;
  }

  Shape shape() const { return shape_; }

  void tree_conv(const std::string& name, const TreeConvSettings& conv) {
    RandomSequence random(seed_, "model/" + name);
    add(std::make_unique<TreeConvLayer>(name, shape_, conv, init_, random));
  }

  void slot_conv(const std::string& name, const SlotConvSettings& conv) {
    RandomSequence random(seed_, "model/" + name);
    add(std::make_unique<SlotConvLayer>(name, shape_, conv, init_, random));
  }

  void slot_dense(const std::string& name, std::size_t neurons) {
    RandomSequence random(seed_, "model/" + name);
    add(std::make_unique<SlotDenseLayer>(name, shape_, neurons, init_, random));
  }

  // Dense layers of the given widths; runs of them that are perfect matchings become one stack.
  void dense(const std::vector<std::size_t>& widths) {
    const DenseWiring rule = dense_wiring_from_name(settings_.wiring);
    std::vector<DenseStackLayer::Level> stack;
    std::size_t inputs = shape_.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      DenseStackLayer::Level level{fmt::format("fc{}", i + 1), {}};
      RandomSequence random(seed_, "model/" + level.name + "/wires");
      level.wires = draw_dense_wiring(rule, inputs, widths[i], random);
      const bool joins = !stack.empty() && stack.size() < 4 && DenseStackLayer::is_matching(level.wires, inputs);
      if (!stack.empty() && !joins) flush(stack);
      stack.push_back(std::move(level));
      inputs = widths[i];
    }
    flush(stack);
  }

  void group_sum(std::size_t outputs) {
    const double group = static_cast<double>(shape_.size()) / static_cast<double>(outputs);
    const double tau = settings_.tau != 0 ? settings_.tau : 20 * std::sqrt(group / 1024);
    add(std::make_unique<GroupSumLayer>("head", shape_, outputs, static_cast<float>(tau)));
  }

  std::unique_ptr<Model> build() { return std::make_unique<Model>(std::move(layers_)); }

 private:
  void add(std::unique_ptr<Layer> layer) {
    shape_ = layer->output().shape;
    layers_.push_back(std::move(layer));
  }

  void flush(std::vector<DenseStackLayer::Level>& stack) {
    RandomSequence random(seed_, "model/" + stack.front().name);
    add(std::make_unique<DenseStackLayer>(shape_, std::exchange(stack, {}), init_, random));
  }

  const ModelSettings& settings_;
  Shape shape_;
  std::uint64_t seed_;
  Initialization init_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

// Four blocks for 32 x 32 images; for 28 x 28 three, the first with an unpadded 5 x 5 window.
void add_tree_blocks(const ModelSettings& s, Builder& builder) {
  std::string topology = s.topology;
  if (topology == "auto") topology = builder.shape().height == 28 ? "mnist" : "cifar";
  if (topology != "cifar" && topology != "mnist")
    throw Error(fmt::format("there is no topology \"{}\"; choose auto, cifar or mnist", topology));
  const std::vector<std::size_t> multiples =
      topology == "cifar" ? std::vector<std::size_t>{1, 4, 16, 32} : std::vector<std::size_t>{1, 3, 9};
  for (std::size_t block = 0; block < multiples.size(); ++block) {
    TreeConvSettings conv;
    conv.kernels = s.width * multiples[block];
    conv.depth = s.tree_depth;
    conv.channels = channel_rule_from_name(block == 0 ? s.first_channels : s.channels);
    if (topology == "mnist" && block == 0) {
      conv.side = 5;
      conv.padding = 0;
    }
    builder.tree_conv(fmt::format("conv{}", block + 1), conv);
  }
}

std::unique_ptr<Model> build_treelogicnet(const ModelSettings& s, Shape input, std::size_t outputs,
                                          std::uint64_t seed) {
  Builder builder(s, input, seed, 5.f);
  add_tree_blocks(s, builder);
  const std::size_t unit = 320 * s.width * s.head_multiplier;
  builder.dense({4 * unit, 2 * unit, unit});
  builder.group_sum(outputs);
  return builder.build();
}

std::unique_ptr<Model> build_compact(const ModelSettings& s, Shape input, std::size_t outputs, std::uint64_t seed) {
  Builder builder(s, input, seed, std::log(135.f));
  builder.slot_conv("conv1", {s.width, 3, 1, 2});
  builder.slot_conv("conv2", {s.width, 3, 1, 1});
  builder.slot_conv("conv3", {4 * s.width, 3, 1, 2});
  builder.slot_conv("conv4", {4 * s.width, 3, 1, 1});
  builder.slot_dense("fc1", 625 * s.width);
  builder.slot_dense("fc2", 625 * s.width);
  builder.group_sum(outputs);
  return builder.build();
}

std::unique_ptr<Model> build_dense(const ModelSettings& s, Shape input, std::size_t outputs, std::uint64_t seed) {
  Builder builder(s, input, seed, 5.f);
  builder.dense(std::vector<std::size_t>(s.layers, s.width));
  builder.group_sum(outputs);
  return builder.build();
}

struct Family {
  std::string_view name;
  std::unique_ptr<Model> (*build)(const ModelSettings&, Shape, std::size_t, std::uint64_t);
};

constexpr Family kFamilies[] = {
    {"treelogicnet", build_treelogicnet},
    {"compact", build_compact},
    {"dense", build_dense},
};

}  // namespace

std::vector<std::string_view> model_families() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.name);
  return names;
}

std::unique_ptr<Model> build_model(const ModelSettings& settings, Shape input, std::size_t outputs,
                                   std::uint64_t seed) {
  for (const Family& family : kFamilies)
    if (family.name == settings.family) return family.build(settings, input, outputs, seed);
  throw Error(
      fmt::format("there is no model family \"{}\"; choose {}", settings.family, fmt::join(model_families(), ", ")));
}

}  // namespace firn
