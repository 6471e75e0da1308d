// The family of wirings: how a dense layer pairs its inputs. Drawn once from a seed, before training.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/random.h"
#include "firn/network/kind.h"

namespace firn::network {

struct WirePair {
  std::uint32_t a, b;
};

struct WiringEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<WirePair> (*draw)(const LayerPlace& place, std::size_t gates, RandomSequence& random);
};

std::span<const WiringEntry> wirings();

// Pairs for a layer of `gates` gates at that place, by the rule of that name; an Error where it is unknown or 2 * gates
// is less than the inputs, so that some input could not be used.
std::vector<WirePair> draw_wiring(std::string_view rule, const LayerPlace& place, std::size_t gates,
                                  RandomSequence& random);

// One line each in the table.
std::vector<WirePair> draw_random_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_unique_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_random_unique_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_balanced_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_butterfly_wiring(const LayerPlace& place, std::size_t gates, RandomSequence& random);

// For wirings without repeated pairs: an Error where there are fewer pairs than gates.
void check_enough_pairs(std::size_t inputs, std::size_t gates);

}  // namespace firn::network
