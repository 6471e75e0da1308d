// Which training examples are held out for validation, as a function of a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

struct Split {
  std::vector<std::uint32_t> train, validation;  // indices of examples, ascending; every example is in one of the two
};

// Draws `validation` of `examples` uniformly without replacement.
Split draw_split(std::size_t examples, std::size_t validation, std::uint64_t seed);

// The same with as many of each class as is its share, to within one, and at least one of each left to train on: few
// examples drawn uniformly may leave a rare class out. So fewer than `validation` may be held out where classes have
// single examples.
Split draw_stratified_split(std::span<const std::uint16_t> labels, std::size_t classes, std::size_t validation,
                            std::uint64_t seed);

// What data.split = "auto" means: files of the user are stratified; sets that papers compare on, synthetic tasks and
// arrays in memory are split uniformly, as they always were.
std::string_view automatic_split(std::string_view source);

// The split that the data set brings, or else one of its training examples that the settings ask for; a tenth is held
// out unless they say otherwise.
Split split_train(const Dataset& dataset, const DataSettings& settings);

// Indices 0..count-1: a whole set.
std::vector<std::uint32_t> all_indices(std::size_t count);

}  // namespace firn::data
