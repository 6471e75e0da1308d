// Rank correlation with ties, bootstrap intervals, medians and quantiles.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/threads.h"

namespace firn::diagnose {

// Spearman's correlation: Pearson's correlation of the ranks, where equal values share the mean of their ranks. Sorts
// once; every resample is then linear in the number of pairs.
class RankCorrelation {
 public:
  RankCorrelation(std::span<const double> x, std::span<const double> y);

  std::size_t count() const { return x_.order.size(); }
  // Nothing where one side is constant.
  std::optional<double> value() const;
  // As if pair i were there counts[i] times.
  std::optional<double> value(std::span<const std::uint32_t> counts) const;

 private:
  struct Ranking {
    explicit Ranking(std::span<const double> values);
    // Twice the rank of every item, minus one: whole numbers even where ranks are shared.
    void ranks(std::span<const std::uint32_t> counts, std::vector<double>& ranks) const;

    std::vector<std::uint32_t> order;  // items from the smallest value
    std::vector<std::uint8_t> ties;    // [position] equal to the item before it?
  };
  Ranking x_, y_;
};

std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

// A correlation with the middle 95 % of what resampling the pairs gives.
struct Correlation {
  std::optional<double> value, low, high;
};

struct Bootstrap {
  std::size_t resamples = 1000;
  std::uint64_t seed = 1;
};
// `stream` names the random numbers, so that every correlation has its own.
Correlation correlate(std::span<const double> x, std::span<const double> y, const Bootstrap& bootstrap,
                      std::string_view stream, Threads& threads);

// The value below which a share p of the values lies, linear between neighbours; nothing for no values.
std::optional<double> quantile(std::vector<double> values, double p);
inline std::optional<double> median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

}  // namespace firn::diagnose
