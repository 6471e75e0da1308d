#include "firn/diagnose/held_out.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace firn::diagnose {

HeldOut summarize_held_out(std::vector<HeldOutChoice> choices) {
  constexpr double kFractions[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  std::array<std::vector<const HeldOutChoice*>, 2> by_half;
  for (const HeldOutChoice& choice : choices) by_half[choice.half].push_back(&choice);
  for (auto& half : by_half)
    std::stable_sort(half.begin(), half.end(), [](auto* a, auto* b) { return a->displacement < b->displacement; });
  HeldOut result;
  for (double fraction : kFractions) {
    WinRate rate;
    rate.fraction = fraction;
    for (std::size_t half = 0; half < 2; ++half) {
      const auto retained = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(by_half[half].size())));
      rate.choices += retained;
      for (std::size_t i = 0; i < retained; ++i) {
        rate.same[half] += by_half[half][i]->wins(half);
        rate.other[half] += by_half[half][i]->wins(1 - half);
      }
      if (retained == 0) continue;
      rate.same[half] /= static_cast<double>(retained);
      rate.other[half] /= static_cast<double>(retained);
    }
    result.rates.push_back(rate);
  }
  result.choices = std::move(choices);
  return result;
}

}  // namespace firn::diagnose
