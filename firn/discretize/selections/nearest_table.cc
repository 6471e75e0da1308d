// The slot nearest to the mixture as a function: smallest mean squared distance over all values of the wires, every bit
// string equally likely. Looks at no data.
#include "firn/discretize/candidates.h"
#include "firn/discretize/nearest_slot.h"
#include "firn/discretize/selection.h"

namespace firn::discretize {
namespace {

class NearestTable final : public Selection {
 public:
  explicit NearestTable(const SelectionContext& context)
      : model_(context.model), temperature_(context.temperature), candidates_(context.settings.candidates) {}

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    const Neurons& all = *model_.neurons()[group];
    for (std::size_t i : neurons) {
      const SlotWeights weights = slot_weights(all, i, temperature_);
      std::array<double, kSlots> exact;
      std::ranges::copy(weights.values, exact.begin());
      freeze(i,
             nearest_slot(slots_on_wires(model_.wiring(group), all, i), exact, likeliest_slots(all, i, candidates_)));
    }
  }

 private:
  Model& model_;
  double temperature_;
  std::size_t candidates_;
};

}  // namespace

std::unique_ptr<Selection> make_select_nearest_table(const SelectionContext& context) {
  return std::make_unique<NearestTable>(context);
}

}  // namespace firn::discretize
