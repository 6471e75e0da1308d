// Which training examples are held out for validation, as a function of a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

struct Split {
  std::vector<std::uint32_t> train, validation;  // indices of examples, ascending; every example is in one of the two
};

// Draws `validation` of `examples` uniformly without replacement.
Split draw_split(std::size_t examples, std::size_t validation, std::uint64_t seed);

// The split that the data set brings, or else one of its training examples that the settings ask for; a tenth is held
// out unless they say otherwise.
Split split_train(const Dataset& dataset, const DataSettings& settings);

// Indices 0..count-1: a whole set.
std::vector<std::uint32_t> all_indices(std::size_t count);

}  // namespace firn::data
