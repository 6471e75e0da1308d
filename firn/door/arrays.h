// Arrays of callers as the modules take them.
#pragma once

#include "firn/api/dataset.h"
#include "firn/data/caller_memory.h"

namespace firn::api::door {

inline data::ValueArray values_of(const Samples& samples) {
  return std::visit([](const auto& span) { return data::ValueArray(span); }, samples);
}

inline data::LabelArray labels_of(const Labels& labels) {
  return std::visit([](const auto& span) { return data::LabelArray(span); }, labels);
}

}  // namespace firn::api::door
