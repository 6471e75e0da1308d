#include "firn/cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "firn/base/error.h"

namespace firn::cli {

namespace {

constexpr std::string_view kDensities = ".:-=+*#%@";

// Maps values to positions from 0 to 1: asinh(v / unit), where the unit is the size that a tenth of the values fall
// below.
class Axis {
 public:
  explicit Axis(std::span<const double> values) {
    std::vector<double> sizes;
    for (double v : values) sizes.push_back(std::abs(v));
    std::sort(sizes.begin(), sizes.end());
    if (!sizes.empty()) unit_ = sizes[sizes.size() / 10];
    if (unit_ == 0) unit_ = sizes.empty() || sizes.back() == 0 ? 1 : sizes.back() * 1e-6;
    for (double v : values) {
      low_ = std::min(low_, v);
      high_ = std::max(high_, v);
    }
  }

  std::size_t cell(double v, std::size_t cells) const {
    const double span = scale(high_) - scale(low_);
    const double place = span > 0 ? (scale(v) - scale(low_)) / span : 0.5;
    return std::min(cells - 1, static_cast<std::size_t>(place * static_cast<double>(cells)));
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double scale(double v) const { return std::asinh(v / unit_); }

  double unit_ = 1, low_ = 0, high_ = 0;  // zero is always in sight
};

}  // namespace

std::string bar(double share, std::size_t width) {
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kEighths[eighths % 8]);
}

std::string draw_cloud(std::span<const double> x, std::span<const double> y, const CloudLabels& labels,
                       std::size_t columns, std::size_t lines) {
  FIRN_CHECK(x.size() == y.size() && columns > 0 && lines > 0);
  const Axis across(x), up(y);
  std::vector<std::size_t> counts(columns * lines);
  std::size_t most = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t& count = counts[(lines - 1 - up.cell(y[i], lines)) * columns + across.cell(x[i], columns)];
    most = std::max(most, ++count);
  }
  const std::size_t zero_line = lines - 1 - up.cell(0, lines), zero_column = across.cell(0, columns);
  std::string text = labels.title + "\n";
  for (std::size_t l = 0; l < lines; ++l) {
    const double edge = l == 0 ? up.high() : up.low();
    text += l == 0 || l + 1 == lines ? fmt::format("{:>10.1e} ", edge)
            : l == zero_line         ? fmt::format("{:>10} ", 0)
                                     : std::string(11, ' ');
    text += "│";
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t count = counts[l * columns + c];
      // Shades follow the logarithm: most points sit in a few cells.
      const double share = most > 1 ? std::log(static_cast<double>(count)) / std::log(static_cast<double>(most)) : 1;
      if (count > 0)
        text += kDensities[static_cast<std::size_t>(share * static_cast<double>(kDensities.size() - 1))];
      else
        text += l == zero_line ? "╌" : c == zero_column ? "╎" : " ";
    }
    text += "\n";
  }
  text += fmt::format("{:11}└{}\n", "", fmt::format("{:─<{}}", "", columns));
  text += fmt::format("{:12}{:<{}.1e}{:>10.1e}\n", "", across.low(), columns - 10, across.high());
  text += fmt::format("{:12}across: {}; up: {}\n", "", labels.x, labels.y);
  return text;
}

}  // namespace firn::cli
