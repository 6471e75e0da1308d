#include "firn/diagnose/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"

namespace firn::diagnose {

RankCorrelation::Ranking::Ranking(std::span<const double> values) : order(values.size()), ties(values.size(), 0) {
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) ties[i] = values[order[i]] == values[order[i - 1]];
}

void RankCorrelation::Ranking::ranks(std::span<const std::uint32_t> counts, std::vector<double>& ranks) const {
  ranks.resize(order.size());
  double before = 0;  // items of smaller value
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double equal = 0;
    do equal += counts[order[end++]];
    while (end < order.size() && ties[end] != 0);
    for (; begin < end; ++begin) ranks[order[begin]] = 2 * before + equal;
    before += equal;
  }
}

RankCorrelation::RankCorrelation(std::span<const double> x, std::span<const double> y) : x_(x), y_(y) {
  FIRN_CHECK(x.size() == y.size());
}

std::optional<double> RankCorrelation::value() const {
  return value(std::vector<std::uint32_t>(count(), 1));
}

std::optional<double> RankCorrelation::value(std::span<const std::uint32_t> counts) const {
  std::vector<double> x, y;
  x_.ranks(counts, x);
  y_.ranks(counts, y);
  const double n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double xx = 0, yy = 0, xy = 0;  // doubled ranks have the mean n
  for (std::size_t i = 0; i < count(); ++i) {
    const double dx = x[i] - n, dy = y[i] - n, times = counts[i];
    xx += times * dx * dx;
    yy += times * dy * dy;
    xy += times * dx * dy;
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  return RankCorrelation(x, y).value();
}

Correlation correlate(std::span<const double> x, std::span<const double> y, const Bootstrap& bootstrap,
                      std::string_view stream, Threads& threads) {
  const RankCorrelation ranks(x, y);
  Correlation result;
  result.value = ranks.value();
  if (!result.value) return result;
  std::vector<std::optional<double>> resampled(bootstrap.resamples);
  const std::uint64_t first_stream = stream_id(stream);
  threads.for_each(bootstrap.resamples, [&](std::size_t r, std::size_t) {
    RandomSequence random(Random(bootstrap.seed, first_stream + r));
    std::vector<std::uint32_t> counts(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ++counts[random.below(static_cast<std::uint32_t>(x.size()))];
    resampled[r] = ranks.value(counts);
  });
  std::vector<double> values;
  for (const auto& value : resampled)
    if (value) values.push_back(*value);
  result.low = quantile(values, 0.025);
  result.high = quantile(std::move(values), 0.975);
  return result;
}

std::optional<double> quantile(std::vector<double> values, double p) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace firn::diagnose
