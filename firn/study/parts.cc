#include "firn/study/parts.h"

#include "firn/base/family.h"
#include "firn/refine/strategy.h"

namespace firn::study {

const StrategyEntry& Parts::strategy(std::string_view name) const {
  return entry_named(name, strategies, "strategy");
}

namespace {

// Most strategies need nothing but the model; refinement is a module of its own above them.
std::vector<StrategyEntry> standard_strategies() {
  std::vector<StrategyEntry> all(discretize::strategies().begin(), discretize::strategies().end());
  all.push_back(refine_strategy());
  return all;
}

}  // namespace

const Parts& standard_parts() {
  static const Parts kParts = {.layer_kinds = standard_layer_kinds(), .strategies = standard_strategies()};
  return kParts;
}

}  // namespace firn::study
