// Area-aware training: a price on the gates that a circuit will consist of, as a term of the loss.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/logic/gate.h"
#include "firn/train/hook.h"
#include "firn/train/settings.h"

namespace firn::training {

// What a technology charges for each of the sixteen gates. Constants and wires are free everywhere.
struct AreaTarget {
  std::string_view name;
  std::string_view summary;
  std::array<float, kGates> areas;  // by Gate
};

std::span<const AreaTarget> area_targets();

// The target of that name, or an Error that lists the names.
const AreaTarget& find_area_target(std::string_view name);

// Adds weight * (mean over all gates of the unrolled network of their expected area) to the loss. A neuron that is
// placed P times counts P times, because so often its gate will be there; what simplification saves is not foreseen.
class AreaPrice final : public Hook {
 public:
  AreaPrice(const Model& model, const AreaSettings& settings);

  std::string name() const override { return "area"; }
  void before_update(const ScoreView& view) override;

  // The term itself, with the weights that the model holds.
  double price(const Model& model) const;

 private:
  const std::array<float, kGates>& areas_;
  std::vector<float> prices_;  // per Neurons: what a unit of area costs a neuron, over all of its placements
};

}  // namespace firn::training
