#include "firn/network/rings.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "firn/base/error.h"
#include "firn/network/draw.h"

namespace firn::network {

namespace {

// A step makes rings of wires / gcd places. Leaving out every other gate of a ring of odd length leaves out one wire,
// so there may be only one such ring.
bool keeps_balance(std::size_t wires, std::size_t step) {
  const std::size_t rings = std::gcd(wires, step);
  return rings == 1 || wires / rings % 2 == 0;
}

// Hands out steps, at most half the circle, without repeating a pair: steps s and wires - s give the same ones, and
// half the circle gives each of its pairs twice unless every other gate is left out.
class StepChooser {
 public:
  explicit StepChooser(std::size_t wires) : wires_(wires) {}

  // For a ring of `count` gates.
  std::size_t choose(std::size_t wanted, std::size_t count) {
    wanted = std::max<std::size_t>(1, std::min(wanted % wires_, wires_ - wanted % wires_));
    const auto is_new = [&](std::size_t step) {
      return !used_.contains(step) && (2 * step < wires_ || 2 * count <= wires_);
    };
    const auto is_balanced = [&](std::size_t step) {
      return is_new(step) && (count == wires_ || keeps_balance(wires_, step));
    };
    std::size_t step = nearest(wanted, is_balanced);
    if (step == 0) step = nearest(wanted, is_new);
    if (step == 0) {
      used_.clear();
      step = wanted;
    }
    used_.insert(step);
    return step;
  }

 private:
  // Larger ones first: smaller ones might pair bits of one value.
  std::size_t nearest(std::size_t wanted, const auto& suits) const {
    for (std::size_t step = wanted; 2 * step <= wires_; ++step)
      if (suits(step)) return step;
    for (std::size_t step = wanted - 1; step > 0; --step)
      if (suits(step)) return step;
    return 0;
  }

  std::size_t wires_;
  std::set<std::size_t> used_;
};

// `count` gates of the rings that a step makes, at most as many as there are wires.
void add_ring(std::size_t wires, std::size_t step, std::size_t count, RandomSequence& random,
              std::vector<WirePair>& gates) {
  const std::size_t rings = std::gcd(wires, step), length = wires / rings;
  for (std::size_t ring = 0; ring < rings; ++ring) {
    const std::size_t wanted = count * (ring + 1) / rings - count * ring / rings;
    const std::size_t turn = random.below(static_cast<std::uint32_t>(length));
    for (std::size_t i = 0; i < length; ++i) {
      if ((i + 1) * wanted / length == i * wanted / length) continue;  // a gap; gaps lie as evenly as possible
      const std::size_t a = (ring + (i + turn) % length * step) % wires;
      gates.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>((a + step) % wires)});
    }
  }
}

}  // namespace

std::vector<WirePair> draw_rings(std::size_t wires, std::size_t gates, const std::vector<std::size_t>& steps,
                                 RandomSequence& random) {
  std::vector<WirePair> pairs;
  if (wires == 1) return std::vector<WirePair>(gates, WirePair{0, 0});
  StepChooser chooser(wires);
  for (std::size_t i = 0; pairs.size() < gates; ++i) {
    const std::size_t count = std::min(wires, gates - pairs.size());
    add_ring(wires, chooser.choose(steps[i % steps.size()], count), count, random, pairs);
  }
  std::ranges::stable_sort(pairs, {}, &WirePair::a);
  return pairs;
}

SemanticOrder semantic_order(const Shape& image, std::size_t bits_per_value) {
  const std::size_t pixels = image.height * image.width;
  SemanticOrder order{{}, image.channels, image.width};
  FIRN_CHECK(pixels > 1 || image.channels % bits_per_value == 0);
  if (pixels == 1) order.site = bits_per_value, order.line = image.channels / bits_per_value;
  const std::size_t sites = image.size() / order.site;
  for (std::size_t site = 0; site < sites; ++site)
    for (std::size_t i = 0; i < order.site; ++i) order.features.push_back(static_cast<std::uint32_t>(i * sites + site));
  return order;
}

std::vector<std::size_t> neighbour_steps(const SemanticOrder& order, std::size_t count) {
  struct Offset {
    std::ptrdiff_t line, column;
    std::ptrdiff_t distance() const { return line * line + column * column; }
  };
  const auto width = static_cast<std::ptrdiff_t>(order.line);
  const auto height = static_cast<std::ptrdiff_t>(order.features.size() / (order.site * order.line));
  const auto reach = static_cast<std::ptrdiff_t>(count);
  std::vector<Offset> offsets;
  for (std::ptrdiff_t line = 0; line < std::min(height, reach + 1); ++line)
    for (std::ptrdiff_t column = line == 0 ? 1 : -std::min(reach, width - 1); column <= std::min(reach, width - 1);
         ++column)
      offsets.push_back({line, column});
  std::ranges::stable_sort(offsets, {}, &Offset::distance);  // lines come first among those of equal distance
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < std::min(count, offsets.size()); ++i)
    steps.push_back(static_cast<std::size_t>(offsets[i].line * width + offsets[i].column) * order.site);
  if (steps.empty()) steps.push_back(1);  // a single site
  return steps;
}

std::size_t SemanticOrder::doublings() const {
  const std::size_t side = has_lines() ? std::min(sites() / line, line) : sites();
  return std::max<std::size_t>(1, std::bit_width(side / 2));
}

std::vector<std::size_t> widening_steps(const SemanticOrder& order, std::size_t count) {
  std::vector<std::size_t> steps;
  std::set<std::size_t> used = {0};
  for (std::size_t i = 0, within = 0; i < count; ++i) {
    if (used.size() == order.sites()) used = {0}, ++within;  // from now on, other bits of the same sites
    const std::size_t multiple = 2 * (i / 2 / order.doublings()) + 1;
    const std::size_t distance = multiple << i / 2 % order.doublings();
    std::size_t apart = distance * (i % 2 == 1 && order.has_lines() ? order.line : 1) % order.sites();
    while (used.contains(apart) && used.size() < order.sites()) apart = (apart + 1) % order.sites();
    used.insert(apart);
    steps.push_back(apart * order.site + within % order.site);
  }
  return steps;
}

}  // namespace firn::network
