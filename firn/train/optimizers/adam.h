// Adam with or without decoupled weight decay: what the variants "adam" and "adamw" share.
#pragma once

#include "firn/train/optimizer.h"

namespace firn::training {

class Adam final : public Optimizer {
 public:
  Adam(const Model& model, const OptimizerSettings& settings, double weight_decay);

 private:
  void begin(std::uint64_t update, double learning_rate) override;
  bool move(const Block& block) override;

  OptimizerSettings settings_;
  double weight_decay_;
  AdamStep step_;
};

}  // namespace firn::training
