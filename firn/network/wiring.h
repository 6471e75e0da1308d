// The family of wirings: how a dense layer pairs its inputs. Drawn once from a seed, before training.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/random.h"

namespace firn::network {

struct WirePair {
  std::uint32_t a, b;
};

struct WiringEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<WirePair> (*draw)(std::uint32_t inputs, std::size_t gates, RandomSequence& random);
};

std::span<const WiringEntry> wirings();

// Pairs for `gates` gates over `inputs` wires by the rule of that name; an Error where it is unknown or 2 * gates <
// inputs, so that some input could not be used.
std::vector<WirePair> draw_wiring(std::string_view rule, std::size_t inputs, std::size_t gates, RandomSequence& random);

// One line each in the table.
std::vector<WirePair> draw_random_wiring(std::uint32_t inputs, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_unique_wiring(std::uint32_t inputs, std::size_t gates, RandomSequence& random);
std::vector<WirePair> draw_random_unique_wiring(std::uint32_t inputs, std::size_t gates, RandomSequence& random);

// For wirings without repeated pairs: an Error where there are fewer pairs than gates.
void check_enough_pairs(std::size_t inputs, std::size_t gates);

}  // namespace firn::network
