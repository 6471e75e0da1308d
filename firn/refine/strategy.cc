// Hardening the convolutions at once, after training, costs accuracy that no choice of gates wins back afterwards; what
// is above must learn to live with them. So the layers in scope are hardened at equal distances between the start and
// the share `until` of the run. A layer that is due is refined under the discrete network: its flips are judged by what
// they do to the loss when every other neuron is its largest gate. After the last step everything is refined once more.
#include "firn/refine/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/discretize/rules.h"
#include "firn/refine/refiner.h"
#include "firn/refine/write_back.h"
#include "firn/train/experiment.h"

namespace firn::refine {

namespace {

class LayerByLayer final : public Hook {
 public:
  explicit LayerByLayer(const StrategyContext& context)
      : settings_(context.settings.refine),
        start_(std::max<std::uint64_t>(context.settings.start, 1)),
        steps_(context.steps),
        seed_(context.seed),
        model_(context.model),
        freezer_(context.freezer),
        threads_(context.threads),
        examples_(*context.examples) {
    const Experiment& experiment = examples_.experiment;
    if (experiment.split.validation.empty())
      throw Error("The strategy \"refine\" is stopped by validation examples; set data.validation above 0");
    check_refinable(model_.harden(), experiment.encoder, experiment.split.train.size(), memory());
  }

  std::string name() const override { return "refine"; }

  void on_step(const StepView& step) override {
    std::vector<std::size_t> due;
    const std::vector<std::size_t>& scope = freezer_.scope();
    const bool repeats = settings_.every > 0 && step.step > start_ && step.step % settings_.every == 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const bool is_frozen = freezer_.neurons(scope[k]).all_frozen();
      if (is_frozen ? repeats : step.step >= stage(k)) due.push_back(scope[k]);
    }
    const bool is_last = step.step == steps_ && settings_.finish;
    if (!due.empty() && !is_last) refine(step, due, count_kinds(due));
    if (is_last) refine(step, all_groups(), RefineSettings{}.sweeps);
  }

 private:
  // When the k-th layer in scope is frozen.
  std::uint64_t stage(std::size_t k) const {
    const auto last = static_cast<std::uint64_t>(settings_.until * static_cast<double>(steps_));
    const std::uint64_t span = last > start_ ? last - start_ : 0;
    return start_ + span * k / freezer_.scope().size();
  }

  std::uint64_t memory() const { return static_cast<std::uint64_t>(settings_.memory * 1e9); }

  // One sweep for gates that are placed many times, one for those placed once.
  std::size_t count_kinds(const std::vector<std::size_t>& groups) const {
    const auto is_single = [this](std::size_t g) { return is_placed_once(model_.wiring(g)); };
    return (std::ranges::any_of(groups, is_single) ? 1 : 0) + (std::ranges::all_of(groups, is_single) ? 0 : 1);
  }

  std::vector<std::size_t> all_groups() const {
    std::vector<std::size_t> groups;
    for (std::size_t g = 0; g < model_.neurons().size(); ++g) groups.push_back(g);
    return groups;
  }

  void refine(const StepView& step, const std::vector<std::size_t>& groups, std::size_t sweeps) {
    const Experiment& experiment = examples_.experiment;
    const BooleanNetwork network = model_.harden();
    RefineSettings settings;
    settings.sweeps = sweeps;
    settings.copies = settings_.copies;
    settings.memory = memory();
    settings.seed = stream_id(fmt::format("freeze/refine/{}/{}", seed_, step.step));
    for (std::size_t g : groups) settings.layers.push_back(model_.neurons()[g]->name);
    Refiner refiner({network, experiment.loss, experiment.data, experiment.encoder, examples_.augment,
                     experiment.split.train, experiment.split.validation, threads_},
                    settings);
    refiner.run();
    const BooleanNetwork best = refiner.best();
    for (std::size_t g : groups) commit(step, g, best.layers[boolean_layer_of(best, g)]);
  }

  void commit(const StepView& step, std::size_t group, const BooleanLayer& refined) {
    Neurons& neurons = *model_.neurons()[group];
    const std::vector<std::uint8_t> chosen = neurons.chosen_slots();
    for (std::size_t i = 0; i < neurons.count(); ++i) {
      const std::size_t slot = slot_for_gate(model_, group, i, chosen[i], refined.gates[i]);
      if (freezer_.is_frozen(group, i))
        neurons.frozen[i] = static_cast<std::int8_t>(slot);
      else
        freezer_.freeze(step.step, group, i, slot, step.scores[group].row(i)[slot], forward_entropy(step, group, i));
    }
  }

  RefineFreezeSettings settings_;
  std::uint64_t start_, steps_, seed_;
  Model& model_;
  Freezer& freezer_;
  Threads& threads_;
  TrainingExamples examples_;
};

}  // namespace

std::unique_ptr<Hook> make_refine_strategy(const StrategyContext& context) {
  FIRN_CHECK(context.examples.has_value());
  return std::make_unique<LayerByLayer>(context);
}

StrategyEntry refine_strategy() {
  return {"refine", "layers from the input on, each refined by exact effects as it is frozen", make_refine_strategy,
          /*acts=*/true, /*depends_on_length=*/true};
}

}  // namespace firn::refine
