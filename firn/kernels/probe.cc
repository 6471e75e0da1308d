#include "firn/kernels/probe.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "firn/base/clock.h"
#include "firn/base/matrix.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/probe.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Fused operations of one call: enough independent chains to keep every unit busy.
template <std::size_t... kChains>
std::uint64_t FmaBurst(std::index_sequence<kChains...>, std::size_t rounds, float* HWY_RESTRICT sink) {
  const FloatTag d;
  const FloatVec factor = hn::Set(d, 0.9999f), term = hn::Set(d, 0.0001f);
  FloatVec chain[sizeof...(kChains)] = {hn::Set(d, static_cast<float>(kChains))...};
  for (std::size_t r = 0; r < rounds; ++r) ((chain[kChains] = hn::MulAdd(chain[kChains], factor, term)), ...);
  FloatVec sum = hn::Zero(d);
  ((sum = hn::Add(sum, chain[kChains])), ...);
  hn::Store(sum, d, sink);
  return rounds * sizeof...(kChains) * kLanes;
}

std::uint64_t FmaOperations(std::size_t rounds, float* sink) {
  return FmaBurst(std::make_index_sequence<12>(), rounds, sink);
}

void Triad(std::size_t count, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, float* HWY_RESTRICT c) {
  const FloatTag d;
  const FloatVec k = hn::Set(d, 3.f);
  for (std::size_t i = 0; i < count; i += kLanes)
    hn::Store(hn::MulAdd(k, hn::Load(d, b + i), hn::Load(d, a + i)), d, c + i);
}

// Gates over 3 x 2 KB, which every L1 cache holds. 256 bits at a time: no machine of today does more for each of
// its load and store units, and rates are counted in 256-bit gates.
std::uint64_t GateBurst(std::size_t rounds, std::uint64_t* HWY_RESTRICT rows) {
  const hn::CappedTag<std::uint64_t, 4> d;
  constexpr std::size_t kWords = 256, kUnroll = 4;
  const std::size_t step = kUnroll * hn::Lanes(d);
  std::uint64_t* to = rows + 2 * kWords;
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t w = 0; w < kWords; w += step)
      for (std::size_t u = w; u < w + step; u += hn::Lanes(d))
        hn::Store(hn::And(hn::Load(d, rows + u), hn::Load(d, rows + kWords + u)), d, to + u);
    __asm__ volatile("" ::: "memory");  // every round counts: the compiler may not see that they are all alike
  }
  return rounds * kWords / 4;
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(FmaOperations);
HWY_EXPORT(Triad);
HWY_EXPORT(GateBurst);

namespace {

// The best rate of work per second seen so far: interruptions only make it slower.
class BestRate {
 public:
  template <class Burst>
  void time(const Burst& burst) {
    const Stopwatch watch;
    const double work = burst();
    rate_ = std::max(rate_, work / watch.seconds());
  }
  double rate() const { return rate_; }

 private:
  double rate_ = 0;
};

// Repeats a burst for `seconds`.
template <class Burst>
double best_rate(double seconds, const Burst& burst) {
  BestRate best;
  for (const Stopwatch watch; watch.seconds() < seconds;) best.time(burst);
  return best.rate();
}

constexpr std::size_t kChain = 64;

// Cycles of a chain of multiplications: three each on every x86-64 of the last fifteen years and on most ARM cores.
template <std::size_t... kIndices>
double multiplication_chain(std::index_sequence<kIndices...>, std::size_t rounds) {
  std::uint64_t x = rounds, factor = rounds | 1;
  __asm__ volatile("" : "+r"(factor));
  const auto multiply = [&](std::size_t) {
    x *= factor;
    __asm__ volatile("" : "+r"(x));
  };
  for (std::size_t r = 0; r < rounds; ++r) (multiply(kIndices), ...);
  return static_cast<double>(3 * kChain * rounds);
}

// Cycles of a chain of additions and exclusive ors, one each. Both operands are registers that the compiler knows
// nothing about: Golden Cove and its successors fold additions of small constants into what comes after them, six per
// cycle.
template <std::size_t... kIndices>
double addition_chain(std::index_sequence<kIndices...>, std::size_t rounds) {
  std::uint64_t x = rounds, term = rounds | 1, mask = ~rounds;
  __asm__ volatile("" : "+r"(term), "+r"(mask));
  const auto add = [&](std::size_t i) {
    if (i % 2 == 0)
      x += term;
    else
      x ^= mask;
    __asm__ volatile("" : "+r"(x));
  };
  for (std::size_t r = 0; r < rounds; ++r) (add(kIndices), ...);
  return static_cast<double>(kChain * rounds);
}

}  // namespace

bool ClockRate::is_plausible() const {
  return hertz() > 0.9 * std::max(by_multiplications, by_additions);
}

// The three take turns, a fraction of a millisecond each, because the clock may change at any time.
FmaRate measure_fma_rate(double seconds) {
  constexpr auto kIndices = std::make_index_sequence<kChain>();
  alignas(kCacheLine) float sink[16];
  BestRate fma, multiplications, additions;
  for (const Stopwatch watch; watch.seconds() < seconds;) {
    multiplications.time([&] { return multiplication_chain(kIndices, 2000); });
    additions.time([&] { return addition_chain(kIndices, 6000); });
    fma.time([&] { return static_cast<double>(HWY_DYNAMIC_DISPATCH(FmaOperations)(50000, sink)); });
  }
  return {fma.rate(), {multiplications.rate(), additions.rate()}};
}

double measure_gate_rate(double seconds) {
  Matrix<std::uint64_t> rows(3, 256);
  return best_rate(seconds, [&] { return static_cast<double>(HWY_DYNAMIC_DISPATCH(GateBurst)(200, rows.data())); });
}

double measure_triad_rate(std::size_t bytes, double seconds) {
  const std::size_t count = bytes / 3 / sizeof(float) / 16 * 16;
  Matrix<float> rows(3, count);
  return best_rate(seconds, [&] {
    HWY_DYNAMIC_DISPATCH(Triad)(count, rows.row(0), rows.row(1), rows.row(2));
    return static_cast<double>(3 * count * sizeof(float));
  });
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
