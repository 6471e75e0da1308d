#include "firn/base/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "firn/base/error.h"

namespace firn {

std::array<std::uint32_t, 4> Random::block(std::uint64_t index) const {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const r123::Philox4x32::ctr_type counter = {{low(index), high(index), low(stream_), high(stream_)}};
  const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

std::uint32_t RandomSequence::next() {
  const std::uint32_t word = random_.block(position_ / 4)[position_ % 4];
  ++position_;
  return word;
}

std::uint32_t RandomSequence::below(std::uint32_t n) {
  FIRN_CHECK(n > 0);
  // Lemire's multiplication, with the rejection that makes it exact.
  const std::uint32_t reject_below = -n % n;
  for (;;) {
    const std::uint64_t product = std::uint64_t{next()} * n;
    if (static_cast<std::uint32_t>(product) >= reject_below) return static_cast<std::uint32_t>(product >> 32);
  }
}

float RandomSequence::uniform() {
  return static_cast<float>(next() >> 8) * 0x1p-24f;
}

double RandomSequence::uniform_double() {
  const std::uint64_t high = next() >> 5, low = next() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

float RandomSequence::normal() {
  // Box-Muller; the second value of the pair is not kept, so that the position alone is the whole state.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform_double()));
  return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * uniform_double()));
}

std::vector<std::uint32_t> permutation(std::uint32_t n, RandomSequence& random) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace firn
