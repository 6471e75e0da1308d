// Probabilities of the classes, as the head of a network means its counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/base/rooms.h"
#include "firn/network/head.h"

namespace firn::infer {

// Of one sample: the softmax of its class sums, which is what cross-entropy was trained on. A single sum is the logit
// of the second class where classes are divided at 0, and its probability, cut to [0, 1], where they are divided
// elsewhere. They are not calibrated.
std::vector<double> probabilities(const Head& head, std::span<const std::uint32_t> counts);  // [group] to [class]

}  // namespace firn::infer
