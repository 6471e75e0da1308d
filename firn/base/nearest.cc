#include "firn/base/nearest.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace firn {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two back for swapped neighbours, one back, and the current one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongestName = 64;  // what is longer is no slip of the hand, and the table is quadratic
  if (word.size() > kLongestName) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= best_distance || distance >= name.size()) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const auto name = nearest(word, known);
  return name ? fmt::format("; did you mean {}?", *name) : std::string();
}

}  // namespace firn
