// Gradient descent with heavy-ball momentum (Polyak, 1964): v <- momentum * v + gradient, logit <- logit - rate * v.
// Weight decay is decoupled, as in adamw. Gradients of logits are tiny where Adam would divide them by their own size:
// learning rates that suit Adam are far too small here.
#include "firn/train/optimizer.h"

namespace firn::training {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const Model& model, const OptimizerSettings& settings)
      : Optimizer(model, settings, {"velocity"}),
        step_{.momentum = static_cast<float>(settings.momentum), .decay = static_cast<float>(settings.weight_decay)} {}

 private:
  void begin(std::uint64_t, double learning_rate) override { step_.learning_rate = static_cast<float>(learning_rate); }
  bool move(const Block& block) override {
    return sgd_rows(step_, block.rows, block.gradient, block.logits, memory(0, block));
  }

  SgdStep step_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const Model& model, const OptimizerSettings& settings) {
  return std::make_unique<Sgd>(model, settings);
}

}  // namespace firn::training
