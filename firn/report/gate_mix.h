// Which gates a discrete network consists of, layer by layer, before and after its circuit is simplified.
#pragma once

#include <vector>

#include "firn/network/boolean_network.h"
#include "firn/report/records.h"

namespace firn::report {

// Counts every placement of every gate. A simplified gate is AND or XOR; inverters at its operands make it one of the
// four gates that are true for one pair of operands, or XNOR. They say nothing about inverters behind it.
std::vector<LayerGates> gate_mix(const BooleanNetwork& network);

}  // namespace firn::report
