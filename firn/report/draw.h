// Circuits as SVG pictures: filters as small trees, the cone of an output, and what an output can see of the input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "firn/network/boolean_network.h"

namespace firn::report {

inline constexpr std::size_t kMostFilters = 32;

// Units of a layer that has gates, the first `most` of them: each a tree of gates over numbered leaves, beside its
// window with the places of the leaves.
std::string draw_filters(const BooleanNetwork& network, std::size_t layer, std::size_t most = kMostFilters);

// An output of the last layer with everything that it depends on, layer below layer.
std::string draw_cone(const BooleanNetwork& network, std::size_t output);

// The input as a grid, darker where more bits of a place can change the output.
std::string draw_view(const BooleanNetwork& network, std::size_t output);

// Which of the three, for callers that let users choose. `layer` is a name; empty means the first.
struct DrawSettings {
  std::string layer = {};
  std::size_t most = kMostFilters;
  std::optional<std::size_t> cone = {}, view = {};  // an output
};
// Refuses more than one picture at a time, and a layer or an output that there is not.
std::string draw(const BooleanNetwork& network, const DrawSettings& settings);

}  // namespace firn::report
