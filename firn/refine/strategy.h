// The strategy `refine`: layers are frozen one after the other from the input on, each refined as it is frozen, while
// the layers above go on learning.
#pragma once

#include <memory>

#include "firn/discretize/strategy.h"

namespace firn::refine {

std::unique_ptr<training::Hook> make_refine_strategy(const discretize::StrategyContext& context);

// Its line in the table of strategies.
discretize::StrategyEntry refine_strategy();

}  // namespace firn::refine
