// Small plots of text for terminals: bars, and clouds of points as shades.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace firn::cli {

// A share of `width` characters, to an eighth of one.
std::string bar(double share, std::size_t width);

struct CloudLabels {
  std::string title, x, y;
};

// Points counted in a grid of characters, darker where there are more. Both axes show values of either sign from tiny
// to large: linear around zero, logarithmic beyond the typical size.
std::string draw_cloud(std::span<const double> x, std::span<const double> y, const CloudLabels& labels,
                       std::size_t columns = 60, std::size_t lines = 12);

}  // namespace firn::cli
