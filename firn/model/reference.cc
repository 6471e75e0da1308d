#include "firn/model/reference.h"

namespace firn::model::reference {

Network::Network(const Model& model) {
  for (std::size_t i = 0; i < model.layer_count(); ++i) add(model.layer(i));
  set_head(model.head());
}

void Network::add(const model::Layer& layer) {
  std::size_t next = 0;
  for (const LayerDescription& part : layer.parts()) {
    Stage stage{part, {}, kNoNeurons};
    if (part.gates > 0) {
      const Neurons& neurons = *layer.neurons()[next++];
      stage.opcodes = neurons.opcodes;
      stage.group = neuron_counts_.size();
      neuron_counts_.push_back(neurons.count());
    }
    stages_.push_back(std::move(stage));
  }
}

}  // namespace firn::model::reference
