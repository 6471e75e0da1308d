// The slot with the smallest first-order score. One backward pass serves a whole layer; the next layer's pass sees the
// layers before it frozen. The scores are tangents: slots far from the mixture may be worse than promised.
#include <algorithm>

#include "firn/base/memory.h"
#include "firn/discretize/candidates.h"
#include "firn/discretize/lowest_score.h"
#include "firn/discretize/selection.h"

namespace firn::discretize {
namespace {

constexpr std::size_t kScoreShard = 32;

// Gradient sums are kept for every shard of the samples until all of them are added.
void check_memory_of_sums(const SelectionContext& context) {
  double row_blocks = 0;
  for (std::size_t l = 0; l < context.model.layer_count(); ++l)
    row_blocks += static_cast<double>(context.model.sum_blocks(l));
  const std::size_t shards = (context.input.truths().size() + kScoreShard - 1) / kScoreShard;
  require_memory(static_cast<double>(shards) * row_blocks * kSlots * sizeof(float), "scoring this network",
                 "number of samples");
}

class FirstOrder final : public Selection {
 public:
  explicit FirstOrder(const SelectionContext& context)
      : context_(context),
        step_(context.model, context.loss, context.input.truths().size(), kScoreShard, context.threads) {
    plan_.forward_temperature = plan_.backward_temperature = static_cast<float>(context.temperature);
  }

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    step_.run(context_.input, {plan_});
    for (std::size_t i : neurons) {
      const float* scores = step_.scores()[group].row(i);
      auto slots = likeliest_slots(*context_.model.neurons()[group], i, context_.settings.candidates);
      const std::size_t argmax = slots[0];
      std::ranges::sort(slots);
      freeze(i, lowest_score(scores, argmax, slots));
    }
  }

 private:
  SelectionContext context_;
  BatchStep step_;
  WeightPlan plan_;
};

}  // namespace

std::unique_ptr<Selection> make_select_first_order(const SelectionContext& context) {
  check_memory_of_sums(context);
  return std::make_unique<FirstOrder>(context);
}

}  // namespace firn::discretize
