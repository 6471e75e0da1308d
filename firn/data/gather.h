// Chosen examples of a data set as consecutive rows.
#pragma once

#include <cstdint>
#include <span>

#include "firn/data/dataset.h"

namespace firn::data {

// The listed examples with their labels or targets, copied in the order of the list; an index may occur more than once.
Examples gather_examples(const Examples& examples, std::span<const std::uint32_t> indices);

}  // namespace firn::data
