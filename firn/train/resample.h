// Connection resampling: a neuron whose entropy has settled gets new gates and wires in the slots that did not win.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/train/hook.h"
#include "firn/train/settings.h"

namespace firn::training {

// Runs after every update on all neurons that are not frozen. Entropies are those of the updated logits. A neuron is
// settled when its entropy has stayed within the tolerance of its moving average for `patience` steps in a row; then
//   strong (largest weight > 0.95): the winner stays, the others are drawn anew, weights restart at 0.9 for the winner;
//   weak   (largest weight < 0.40): everything is drawn anew;
//   between: only the counter restarts.
class Resampler final : public Hook {
 public:
  Resampler(Model& model, const ResampleSettings& settings, std::uint64_t seed, Threads& threads);

  std::string name() const override { return "resample"; }
  void on_step(const StepView& step) override;
  void visit_state(StateVisitor& visitor) override;

  // Neurons redrawn since the last call, strong and weak together.
  std::uint64_t take_redrawn();
  enum class Redraw : std::uint8_t { kNone, kStrong, kWeak };
  // What happened to each neuron of a group in the last step: strategies that watch neurons need to know.
  const std::vector<Redraw>& last_redraws(std::size_t group) const { return groups_[group].redraws; }

 private:
  struct Group {
    std::size_t index;  // among the model's Neurons
    Layer* layer;
    LayerDescription* wiring;  // null where neurons have no slots of their own
    Neurons* neurons;
    std::vector<float> ema;
    std::vector<std::uint32_t> settled;  // steps in a row
    std::vector<float> entropy;
    std::vector<Redraw> redraws;
    Matrix<float> weights;  // [neurons][16] softmax of the updated logits
  };
  void watch(Group& group, bool first_time);
  void redraw(Group& group, std::size_t i, std::size_t winner, bool strong, const StepView& step);

  ResampleSettings settings_;
  std::uint64_t seed_;
  Threads& threads_;
  std::vector<Group> groups_;
  std::uint64_t steps_seen_ = 0;
  std::uint64_t redrawn_ = 0;
};

}  // namespace firn::training
