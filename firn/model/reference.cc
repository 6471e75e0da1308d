#include "firn/model/reference.h"

#include <utility>

#include "firn/base/error.h"
#include "firn/model/layers/dense.h"
#include "firn/model/layers/group_sum.h"
#include "firn/model/layers/or_pool.h"
#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"
#include "firn/model/layers/tree_conv.h"

namespace firn::reference {

namespace {

TreeConv formulas_of(const TreeConvLayer& layer) {
  const TreeConvSettings& s = layer.settings();
  return {layer.input().shape,  layer.output().shape, s.depth, s.side, s.padding, s.pool,
          layer.leaf_channel(), layer.leaf_place()};
}

SlotConv formulas_of(const SlotConvLayer& layer) {
  const SlotConvSettings& s = layer.settings();
  SlotConv conv{layer.input().shape, layer.output().shape, s.side, s.padding, s.stride, {}, {}, layer.taps()};
  conv.opcodes = layer.neurons().front()->opcodes;
  for (std::size_t k = 0; k < s.kernels; ++k) conv.channels.push_back(layer.channel(k));
  return conv;
}

}  // namespace

Network::Network(const Model& model) {
  for (std::size_t i = 0; i < model.layer_count(); ++i) add(model.layer(i));
}

void Network::add_stage(decltype(Stage::layer) layer, const Neurons* neurons) {
  stages_.push_back({std::move(layer), neurons != nullptr ? neuron_counts_.size() : kNoNeurons});
  if (neurons != nullptr) neuron_counts_.push_back(neurons->count());
}

void Network::add(const Layer& layer) {
  const auto neurons = layer.neurons();
  if (const auto* dense = dynamic_cast<const DenseStackLayer*>(&layer)) {
    for (std::size_t level = 0; level < neurons.size(); ++level) add_stage(Dense{dense->wires(level)}, neurons[level]);
  } else if (const auto* tree = dynamic_cast<const TreeConvLayer*>(&layer)) {
    add_stage(formulas_of(*tree), neurons[0]);
  } else if (const auto* slots = dynamic_cast<const SlotDenseLayer*>(&layer)) {
    add_stage(SlotDense{neurons[0]->opcodes, slots->wires()}, neurons[0]);
  } else if (const auto* conv = dynamic_cast<const SlotConvLayer*>(&layer)) {
    add_stage(formulas_of(*conv), neurons[0]);
  } else if (dynamic_cast<const OrPoolLayer*>(&layer) != nullptr) {
    add_stage(OrPool{layer.input().shape, layer.output().shape}, nullptr);
  } else if (const auto* sum = dynamic_cast<const GroupSumLayer*>(&layer)) {
    add_stage(GroupSum{layer.output().shape.size(), sum->factor(), sum->offset()}, nullptr);
  } else {
    FIRN_CHECK(false && "a layer without reference formulas");
  }
}

}  // namespace firn::reference
