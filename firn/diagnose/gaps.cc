#include "firn/diagnose/gaps.h"

#include <utility>

namespace firn::diagnose {

namespace {

// Neurons frozen to their chosen slots for as long as this lives.
class FrozenForNow {
 public:
  explicit FrozenForNow(Neurons& neurons) : neurons_(neurons), before_(neurons.frozen) {
    const auto slots = neurons.chosen_slots();
    neurons_.frozen.assign(slots.begin(), slots.end());
  }
  ~FrozenForNow() { neurons_.frozen = std::move(before_); }
  FrozenForNow(const FrozenForNow&) = delete;
  FrozenForNow& operator=(const FrozenForNow&) = delete;

 private:
  Neurons& neurons_;
  std::vector<std::int8_t> before_;
};

}  // namespace

LayeredGaps measure_gaps(Model& model, Evaluator& evaluator, const Examples& examples,
                         std::span<const std::uint32_t> indices, double temperature, const OnWork& on_work) {
  LayeredGaps gaps;
  gaps.samples = indices.size();
  const std::uint64_t total = 3 + model.neurons().size();
  std::uint64_t done = 0;
  on_work(done, total);
  const auto evaluate = [&](EvaluationMode mode) {
    const Risk risk = evaluator.run(examples, indices, mode).risk();
    on_work(++done, total);
    return risk;
  };
  gaps.whole.relaxed = evaluate(EvaluationMode::kRelaxed);
  gaps.whole.argmax_on_reals = evaluate(EvaluationMode::kArgmaxOnReals);
  gaps.whole.discrete = evaluate(EvaluationMode::kDiscrete);
  for (Neurons* neurons : model.neurons()) {
    LayerGap gap;
    gap.layer = neurons->name;
    gap.neurons = neurons->count();
    gap.frozen = neurons->frozen_count();
    const FrozenForNow frozen(*neurons);
    gap.discrete = evaluate(EvaluationMode::kRelaxed);
    gaps.layers.push_back(gap);
  }
  gaps.gates = take_gate_census(model, temperature);
  for (const GateRow& row : gaps.gates) {
    LayerGap& layer = gaps.layers[row.group];
    layer.constants += is_constant(row.gate);
    layer.wires += is_wire(row.gate);
    layer.dead += row.is_dead;
    layer.not_nearest += row.nearest != row.slot;
  }
  return gaps;
}

}  // namespace firn::diagnose
