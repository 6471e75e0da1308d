#include "firn/network/wiring.h"

#include <fmt/format.h>

#include "firn/base/error.h"
#include "firn/base/family.h"

namespace firn::network {

std::span<const WiringEntry> wirings() {
  static constexpr WiringEntry kWirings[] = {
      {"random", "every input equally often, in random pairs", draw_random_wiring},
      {"unique", "no pair twice; neighbours in feature order first", draw_unique_wiring},
      {"random-unique", "no pair twice, over randomly relabelled inputs", draw_random_unique_wiring},
      {"balanced", "every input equally often as either operand; neighbours first, then random pairs",
       draw_balanced_wiring},
      {"butterfly", "every input equally often as either operand, in regular pairs from local to global",
       draw_butterfly_wiring},
  };
  return kWirings;
}

std::vector<WirePair> draw_wiring(std::string_view rule, const LayerPlace& place, std::size_t gates,
                                  RandomSequence& random) {
  const WiringEntry& entry = entry_named(rule, wirings(), "wiring");
  const std::size_t inputs = place.input.size();
  if (2 * gates < inputs)
    throw Error(fmt::format("a dense layer of {} gates cannot use all of its {} inputs; make it at least {} wide",
                            gates, inputs, (inputs + 1) / 2));
  return entry.draw(place, gates, random);
}

void check_enough_pairs(std::size_t inputs, std::size_t gates) {
  const std::size_t pairs = inputs * (inputs - 1) / 2;
  if (gates > pairs)
    throw Error(
        fmt::format("unique wiring has only {} different pairs of {} inputs but the layer has {} gates; "
                    "choose wiring \"random\" or a narrower layer",
                    pairs, inputs, gates));
}

}  // namespace firn::network
