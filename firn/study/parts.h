// The parts that a configuration can name and that a program can add to: copy the standard ones, append, and hand the
// copy to the configuration.
#pragma once

#include <string_view>
#include <vector>

#include "firn/discretize/strategy.h"
#include "firn/network/kind.h"

namespace firn::study {

struct Parts {
  LayerKinds layer_kinds;
  std::vector<StrategyEntry> strategies;

  const StrategyEntry& strategy(std::string_view name) const;  // an Error that lists the names if there is none
};

// Everything that Firn brings along.
const Parts& standard_parts();

}  // namespace firn::study
