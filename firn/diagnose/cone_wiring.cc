// How the layers of a model become stages: every output with the features it reads.
#include <algorithm>
#include <span>
#include <utility>

#include "firn/base/error.h"
#include "firn/diagnose/cone_network.h"
#include "firn/model/layers/dense.h"
#include "firn/model/layers/group_sum.h"
#include "firn/model/layers/or_pool.h"
#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"
#include "firn/model/layers/tree_conv.h"

namespace firn {

namespace {

// Calls body(channel, y, x) for every feature of a shape, in the order of their numbers.
template <class Body>
void for_each_place(const Shape& shape, const Body& body) {
  for (std::size_t c = 0; c < shape.channels; ++c)
    for (std::size_t y = 0; y < shape.height; ++y)
      for (std::size_t x = 0; x < shape.width; ++x) body(c, y, x);
}

// The feature under a window's place: y and x are counted from `padding` before the image.
std::uint32_t feature_under(const Shape& shape, std::size_t c, std::size_t y, std::size_t x, std::size_t padding) {
  if (y < padding || x < padding || y - padding >= shape.height || x - padding >= shape.width) return kNoFeature;
  return static_cast<std::uint32_t>((c * shape.height + y - padding) * shape.width + x - padding);
}

TreeStage stage_of(const TreeConvLayer& layer, std::size_t first_neuron) {
  const TreeConvSettings& settings = layer.settings();
  const Shape &in = layer.input().shape, &out = layer.output().shape;
  TreeStage stage;
  stage.depth = settings.depth;
  stage.positions = settings.pool * settings.pool;
  stage.inputs = in.size();
  stage.unit_outputs = out.height * out.width;
  for_each_place(out, [&](std::size_t k, std::size_t y, std::size_t x) {
    for (std::size_t p = 0; p < stage.positions; ++p)
      for (std::size_t l = 0; l < stage.leaves(); ++l) {
        const std::size_t leaf = k * stage.leaves() + l, place = layer.leaf_place()[leaf];
        stage.wires.push_back(
            feature_under(in, layer.leaf_channel()[leaf], settings.pool * y + p / settings.pool + place / settings.side,
                          settings.pool * x + p % settings.pool + place % settings.side, settings.padding));
      }
  });
  for (std::size_t g = 0; g < settings.kernels * stage.gates(); ++g)
    stage.gate_neuron.push_back(static_cast<std::uint32_t>(first_neuron + g));
  return stage;
}

// Gates of a tree are numbered from the leaves to the root: gate g of a tree reads nodes 2g and 2g + 1.
class StackTrees {
 public:
  StackTrees(const DenseStackLayer& layer, std::size_t first_neuron) : layer_(layer) {
    std::size_t first = first_neuron;
    for (const Neurons* level : layer.neurons()) {
      firsts_.push_back(first);
      first += level->count();
    }
    stage_.depth = firsts_.size();
    stage_.inputs = layer.input().shape.size();
    const std::size_t trees = layer.output().shape.size();
    stage_.wires.resize(trees * stage_.leaves());
    stage_.gate_neuron.resize(trees * stage_.gates());
    for (std::size_t tree = 0; tree < trees; ++tree) place(firsts_.size() - 1, tree, tree, 0);
  }
  TreeStage take() { return std::move(stage_); }

 private:
  void place(std::size_t level, std::size_t neuron, std::size_t tree, std::size_t index) {
    const std::size_t leaves = stage_.leaves();
    stage_.gate_neuron[tree * stage_.gates() + leaves - (leaves >> level) + index] =
        static_cast<std::uint32_t>(firsts_[level] + neuron);
    for (std::size_t operand = 0; operand < 2; ++operand) {
      const std::uint32_t wire = layer_.wires(level)[2 * neuron + operand];
      if (level == 0)
        stage_.wires[tree * leaves + 2 * index + operand] = wire;
      else
        place(level - 1, wire, tree, 2 * index + operand);
    }
  }

  const DenseStackLayer& layer_;
  std::vector<std::size_t> firsts_;  // number of each level's first neuron
  TreeStage stage_;
};

SlotStage stage_of(const SlotConvLayer& layer, std::size_t first_neuron) {
  const SlotConvSettings& settings = layer.settings();
  const Shape &in = layer.input().shape, &out = layer.output().shape;
  SlotStage stage;
  stage.inputs = in.size();
  stage.unit_outputs = out.height * out.width;
  stage.first_neuron = first_neuron;
  for_each_place(out, [&](std::size_t k, std::size_t y, std::size_t x) {
    for (std::size_t i = 0; i < SlotStage::operands(); ++i) {
      const std::size_t tap = layer.taps()[k * SlotStage::operands() + i];
      stage.wires.push_back(feature_under(in, layer.channel(k), y * settings.stride + tap / settings.side,
                                          x * settings.stride + tap % settings.side, settings.padding));
    }
  });
  return stage;
}

PoolStage stage_of(const OrPoolLayer& layer) {
  const Shape& in = layer.input().shape;
  PoolStage stage;
  stage.inputs = in.size();
  for_each_place(layer.output().shape, [&](std::size_t c, std::size_t y, std::size_t x) {
    for (std::size_t p = 0; p < kMaxPool; ++p)
      stage.wires.push_back(feature_under(in, c, 2 * y + p / 2, 2 * x + p % 2, 0));
  });
  return stage;
}

}  // namespace

ConeNetwork::ConeNetwork(const Model& model, const TaskLoss& loss, double temperature)
    : mixtures_(model, temperature), loss_(loss), input_layout_(model.input()), outputs_(model.outputs()) {
  std::size_t first_neuron = 0;
  for (std::size_t i = 0; i + 1 < model.layer_count(); ++i) {
    add_stages(model.layer(i), first_neuron);
    for (const Neurons* neurons : model.layer(i).neurons()) first_neuron += neurons->count();
  }
  const auto* head = dynamic_cast<const GroupSumLayer*>(&model.layer(model.layer_count() - 1));
  FIRN_CHECK(head != nullptr && !stages_.empty());
  group_rows_ = head->group_rows();
  factor_ = head->factor();
  offset_ = head->offset();
  find_homes();
}

void ConeNetwork::add_stages(const Layer& layer, std::size_t first_neuron) {
  if (const auto* tree = dynamic_cast<const TreeConvLayer*>(&layer)) {
    add_stage(stage_of(*tree, first_neuron));
  } else if (const auto* dense = dynamic_cast<const DenseStackLayer*>(&layer)) {
    add_stage(StackTrees(*dense, first_neuron).take());
  } else if (const auto* conv = dynamic_cast<const SlotConvLayer*>(&layer)) {
    add_stage(stage_of(*conv, first_neuron));
  } else if (const auto* slots = dynamic_cast<const SlotDenseLayer*>(&layer)) {
    SlotStage stage;
    stage.inputs = layer.input().shape.size();
    stage.first_neuron = first_neuron;
    stage.wires = slots->wires();
    add_stage(std::move(stage));
  } else if (const auto* pool = dynamic_cast<const OrPoolLayer*>(&layer)) {
    add_stage(stage_of(*pool));
  } else {
    FIRN_CHECK(false && "a layer without a stage");
  }
}

void ConeNetwork::add_stage(Stage stage) {
  if (auto* tree = std::get_if<TreeStage>(&stage))
    for (std::uint32_t neuron : tree->gate_neuron) tree->terms.push_back(mixtures_.mixed(neuron));
  const std::size_t inputs = std::visit([](const auto& s) { return s.inputs; }, stage);
  const std::size_t operands = std::visit([](const auto& s) { return s.operands(); }, stage);
  const std::span<const std::uint32_t> wires =
      std::visit([](const auto& s) { return std::span<const std::uint32_t>(s.wires); }, stage);
  const std::size_t outputs = wires.size() / operands;
  Readers readers;
  readers.first.assign(inputs + 1, 0);
  // Twice over the outputs: once to count the readers of each feature, once to write them down.
  std::vector<std::uint32_t> unique;
  const auto for_each_operand = [&](const auto& body) {
    for (std::size_t o = 0; o < outputs; ++o) {
      unique.assign(wires.begin() + static_cast<std::ptrdiff_t>(o * operands),
                    wires.begin() + static_cast<std::ptrdiff_t>((o + 1) * operands));
      std::sort(unique.begin(), unique.end());
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      for (std::uint32_t feature : unique)
        if (feature != kNoFeature) body(feature, static_cast<std::uint32_t>(o));
    }
  };
  for_each_operand([&](std::uint32_t feature, std::uint32_t) { ++readers.first[feature + 1]; });
  for (std::size_t f = 0; f < inputs; ++f) readers.first[f + 1] += readers.first[f];
  readers.readers.resize(readers.first.back());
  std::vector<std::uint32_t> next(readers.first.begin(), readers.first.end() - 1);
  for_each_operand([&](std::uint32_t feature, std::uint32_t o) { readers.readers[next[feature]++] = o; });
  readers_.push_back(std::move(readers));
  stages_.push_back(std::move(stage));
}

void ConeNetwork::find_homes() {
  homes_.resize(mixtures_.count());
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    if (const auto* tree = std::get_if<TreeStage>(&stages_[s]))
      for (std::size_t g = 0; g < tree->gate_neuron.size(); ++g)
        homes_[tree->gate_neuron[g]] = {s, static_cast<std::uint32_t>(g / tree->gates() * tree->unit_outputs)};
    if (const auto* slots = std::get_if<SlotStage>(&stages_[s]))
      for (std::size_t o = 0; o < slots->outputs(); o += slots->unit_outputs)
        homes_[slots->first_neuron + o / slots->unit_outputs] = {s, static_cast<std::uint32_t>(o)};
  }
}

}  // namespace firn
