// Nothing happens during training: the network stays relaxed, and the largest gate of each neuron counts at evaluation.
#include "firn/discretize/strategy.h"

namespace firn::discretize {

namespace {

class FinalArgmax final : public Hook {
  std::string name() const override { return "final-argmax"; }
};

}  // namespace

std::unique_ptr<Hook> make_final_argmax(const StrategyContext&) {
  return std::make_unique<FinalArgmax>();
}

}  // namespace firn::discretize
