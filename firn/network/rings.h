// Pairs of wires in rings: what structured wirings are made of.
//
// Wires stand in a circle, and every gate of a ring reads two of them that are the same number of places apart. A full
// ring has as many gates as there are wires and reads each of them once as operand a and once as operand b. That
// matters beyond equal fan-out: a fresh network passes operand a on, so that with rings every input reaches the head
// from the first step on. Rings of different steps never share a pair.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "firn/base/random.h"
#include "firn/base/shape.h"
#include "firn/network/wiring.h"

namespace firn::network {

// Places in the circle of `wires` for `gates` gates, sorted by operand a: full rings with the given steps, one after
// the other, and a last one with gaps that leave every wire equally often used, as far as it divides. Steps that would
// repeat a pair or spoil the balance move up to the next that does not; when all steps are used up, pairs repeat.
std::vector<WirePair> draw_rings(std::size_t wires, std::size_t gates, const std::vector<std::size_t>& steps,
                                 RandomSequence& random);

// Features of an image such that what belongs together is close together: pixel after pixel, or, where there is only
// one, value after value.
struct SemanticOrder {
  std::vector<std::uint32_t> features;  // in this order
  std::size_t site;                     // features of one pixel or value, next to each other
  std::size_t line;                     // sites of one line

  std::size_t sites() const { return features.size() / site; }
  bool has_lines() const { return sites() > line; }
  // Doublings from 1 to half of the shorter side.
  std::size_t doublings() const;
};
SemanticOrder semantic_order(const Shape& image, std::size_t bits_per_value);

// Steps for up to `count` rings over a semantic order: from every site to the next in its line, to the next in its
// column, then to farther and farther ones. None stays within a site unless there is only one.
std::vector<std::size_t> neighbour_steps(const SemanticOrder& order, std::size_t count);

// `count` steps over a semantic order that widen quickly: along lines and columns in turns, at distances 1, 2, 4 and so
// on up to half of the image, then at three times those, and so on. They differ while there are enough sites.
std::vector<std::size_t> widening_steps(const SemanticOrder& order, std::size_t count);

// Gates in an order in which each of the head's groups, which are contiguous, has one of every `groups` neighbours: no
// class sees only a part of the image.
template <class Gate>
void deal_to_groups(std::vector<Gate>& gates, std::size_t groups, RandomSequence& random) {
  const std::size_t size = gates.size() / groups;
  if (groups == 1 || size * groups != gates.size()) return;  // what does not divide is refused with the head
  std::vector<Gate> dealt(gates.size());
  for (std::size_t i = 0; i < size; ++i) {
    const auto group = permutation(static_cast<std::uint32_t>(groups), random);
    for (std::size_t g = 0; g < groups; ++g) dealt[group[g] * size + i] = std::move(gates[i * groups + g]);
  }
  gates = std::move(dealt);
}

}  // namespace firn::network
