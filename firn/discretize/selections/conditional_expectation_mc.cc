// The method of conditional expectations with drawn circuits: the slot with the smallest mean risk over completions of
// the network, in which every neuron that is not decided yet is drawn from its weights. The circuits are drawn once for
// a layer and all candidates are tried in the same ones; neurons are decided one after the other.
#include <fmt/format.h>

#include <memory>

#include "firn/base/error.h"
#include "firn/discretize/candidates.h"
#include "firn/discretize/drawn_circuit.h"
#include "firn/discretize/selection.h"

namespace firn::discretize {
namespace {

constexpr std::size_t kSamplesTogether = 512;  // whole vectors of bits

class ConditionalExpectation final : public Selection {
 public:
  explicit ConditionalExpectation(const SelectionContext& context) : context_(context) {
    if (context.settings.completions < 1) throw Error("no circuit to average over; draw at least 1 completion");
    const std::size_t blocks = (context.input.truths().size() + kSamplesTogether - 1) / kSamplesTogether;
    bits_ = Matrix<std::uint64_t>(context.model.input().shape.size(), blocks * kSamplesTogether / 64);
    context.input.write_bits(0, context.input.truths().size(), bits_, context.threads);
    circuits_.resize(context.settings.completions);
    losses_.resize(circuits_.size());
  }

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    draw(group);
    for (std::size_t i : neurons) {
      std::size_t best = 0;
      double smallest = 0;
      for (bool first = true;
           std::size_t slot : likeliest_slots(*context_.model.neurons()[group], i, context_.settings.candidates)) {
        const double loss = mean_loss(i, candidate(group, i, slot));
        if (!first && loss >= smallest) continue;
        best = slot;
        smallest = loss;
        first = false;
      }
      const WiredGate chosen = candidate(group, i, best);
      context_.threads.for_each(circuits_.size(),
                                [&](std::size_t c, std::size_t) { circuits_[c]->exchange(i, chosen); });
      freeze(i, best);
    }
  }

 private:
  void draw(std::size_t group) {
    std::vector<BooleanNetwork> drawn;
    for (std::size_t c = 0; c < circuits_.size(); ++c) {
      RandomSequence random(context_.settings.seed, fmt::format("completion/{}/{}", group, c));
      drawn.push_back(draw_circuit(context_.model, context_.temperature, random));
    }
    layer_ = boolean_layer_of(drawn[0], group);
    context_.threads.for_each(circuits_.size(), [&](std::size_t c, std::size_t) {
      circuits_[c] =
          std::make_unique<DrawnCircuit>(std::move(drawn[c]), layer_, bits_, context_.input.truths(), context_.loss);
    });
  }

  WiredGate candidate(std::size_t group, std::size_t i, std::size_t slot) const {
    return wired_slot(context_.model.wiring(group), *context_.model.neurons()[group], i, slot);
  }

  double mean_loss(std::size_t i, const WiredGate& gate) {
    context_.threads.for_each(circuits_.size(),
                              [&](std::size_t c, std::size_t) { losses_[c] = circuits_[c]->loss_with(i, gate); });
    double sum = 0;
    for (double loss : losses_) sum += loss;
    return sum / static_cast<double>(circuits_.size());
  }

  SelectionContext context_;
  Matrix<std::uint64_t> bits_;  // [feature][words]
  std::size_t layer_ = 0;       // boolean layer of the group being decided
  std::vector<std::unique_ptr<DrawnCircuit>> circuits_;
  std::vector<double> losses_;  // one per circuit, added in their order
};

}  // namespace

std::unique_ptr<Selection> make_select_conditional_expectation(const SelectionContext& context) {
  return std::make_unique<ConditionalExpectation>(context);
}

}  // namespace firn::discretize
