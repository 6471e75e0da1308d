#include "firn/study/parts.h"

#include "firn/base/family.h"

namespace firn::study {

const StrategyEntry& Parts::strategy(std::string_view name) const {
  return entry_named(name, strategies, "strategy");
}

const Parts& standard_parts() {
  static const Parts kParts = {.layer_kinds = standard_layer_kinds(),
                               .strategies = {discretize::strategies().begin(), discretize::strategies().end()}};
  return kParts;
}

}  // namespace firn::study
