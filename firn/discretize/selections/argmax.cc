// The usual rule: every neuron becomes its likeliest slot. Looks at no data.
#include "firn/discretize/selection.h"

namespace firn::discretize {
namespace {

class Argmax final : public Selection {
 public:
  explicit Argmax(const SelectionContext& context) : model_(context.model) {}

  void decide(std::size_t group, std::span<const std::size_t> neurons,
              const std::function<void(std::size_t, std::size_t)>& freeze) override {
    const auto slots = model_.neurons()[group]->chosen_slots();
    for (std::size_t i : neurons) freeze(i, slots[i]);
  }

 private:
  Model& model_;
};

}  // namespace

std::unique_ptr<Selection> make_select_argmax(const SelectionContext& context) {
  return std::make_unique<Argmax>(context);
}

}  // namespace firn::discretize
