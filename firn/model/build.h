// Builds a fresh model from settings.
#pragma once

#include <cstdint>
#include <memory>

#include "firn/model/model.h"
#include "firn/network/families.h"

namespace firn::model {

Initialization initialization_of(const ModelSettings& settings);

// A model for an encoded input of the given shape; equal seeds give equal models. `outputs` is the number of class
// sums; `bits_per_value` as for describe_network().
std::unique_ptr<Model> build_model(const ModelSettings& settings, const Shape& input, std::size_t outputs,
                                   std::uint64_t seed, const LayerKinds& kinds = standard_layer_kinds(),
                                   std::size_t bits_per_value = 1);

}  // namespace firn::model
