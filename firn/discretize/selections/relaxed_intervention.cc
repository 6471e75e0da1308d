// The slot that gives the relaxed network the smallest risk when the neuron is forced to it: one forward pass, from the
// neuron's layer on, for every candidate. Neurons are decided one after the other, each seeing the earlier decisions.
#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/discretize/candidates.h"
#include "firn/discretize/selection.h"

namespace firn::discretize {
namespace {

constexpr std::size_t kShard = 32;
// Two risks that differ by less are equal: scores are floats, and their mean loss is noise below this.
constexpr double kNoise = 1e-7;

class RelaxedIntervention final : public Selection {
 public:
  explicit RelaxedIntervention(const SelectionContext& context) : context_(context) {
    for (int w = 0; w < context.threads.count(); ++w)
      workspaces_.push_back(context.model.make_workspace(kShard, /*with_gradients=*/false));
    inputs_.resize((context.input.truths().size() + kShard - 1) / kShard);
    losses_.resize(inputs_.size());
  }

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    start_layer(group);
    Neurons& all = *context_.model.neurons()[group];
    for (std::size_t i : neurons) {
      const auto slots = likeliest_slots(all, i, context_.settings.candidates);
      std::size_t best = slots[0];
      double best_risk = risk_with(all, i, best);
      for (std::size_t c = 1; c < slots.size(); ++c) {
        const double risk = risk_with(all, i, slots[c]);
        if (risk >= best_risk - kNoise * (1 + best_risk)) continue;
        best = slots[c];
        best_risk = risk;
      }
      force(all, i, best);
      freeze(i, best);
    }
  }

 private:
  // Weights of the whole model as they are now, and what its layer reads, for every shard.
  void start_layer(std::size_t group) {
    Model& model = context_.model;
    const auto temperature = static_cast<float>(context_.temperature);
    model.prepare({WeightPlan{.forward_temperature = temperature, .backward_temperature = temperature}},
                  context_.threads);
    layer_ = model.layer_of(group);
    context_.threads.for_each(inputs_.size(), [&](std::size_t shard, std::size_t worker) {
      Workspace& workspace = workspaces_[worker];
      const std::size_t first = shard * kShard;
      context_.input.write_rows(first, std::min(kShard, context_.input.truths().size() - first), worker,
                                workspace.values[0]);
      model.forward_layers(workspace, 0, layer_);
      inputs_[shard] = workspace.values[layer_];
    });
  }

  static void force(Neurons& neurons, std::size_t i, std::size_t slot) {
    std::ranges::fill(neurons.forward_weights[i], 0.f);
    neurons.forward_weights[i][slot] = 1;
  }

  double risk_with(Neurons& neurons, std::size_t i, std::size_t slot) {
    force(neurons, i, slot);
    Model& model = context_.model;
    model.take_weights(layer_, context_.threads);
    const Truths truths = context_.input.truths();
    context_.threads.for_each(inputs_.size(), [&](std::size_t shard, std::size_t worker) {
      Workspace& workspace = workspaces_[worker];
      std::swap(workspace.values[layer_], inputs_[shard]);  // lent, not copied
      model.forward(workspace, layer_);
      std::swap(workspace.values[layer_], inputs_[shard]);
      const std::size_t first = shard * kShard;
      const auto part = truths.subspan(first, std::min(kShard, truths.size() - first));
      losses_[shard] = context_.loss(workspace.class_sums, part, 1, nullptr).loss;
    });
    double sum = 0;
    for (double loss : losses_) sum += loss;
    return sum / static_cast<double>(truths.size());
  }

  SelectionContext context_;
  std::size_t layer_ = 0;
  std::vector<Workspace> workspaces_;  // one per worker
  std::vector<Matrix<float>> inputs_;  // of the layer, one per shard
  std::vector<double> losses_;         // one per shard, added in their order
};

}  // namespace

std::unique_ptr<Selection> make_select_relaxed_intervention(const SelectionContext& context) {
  return std::make_unique<RelaxedIntervention>(context);
}

}  // namespace firn::discretize
