#include "firn/cli/sections.h"

namespace firn {

void describe(KeyTable& table, EncodeSettings& settings) {
  table.section("encode", "How values become bits.");
  table.add("encode.encoding", settings.encoding, "The encoding.",
            one_of({"uniform", "distributive", "passthrough", "raw"}));
  table.add("encode.thresholds", settings.thresholds, "Thresholds, and with them bits, for each value.",
            between(1, 255));
  table.add("encode.scope", settings.scope,
            "What shares thresholds: all values, those of a channel, or those of a feature.",
            one_of({"global", "channel", "feature"}));
}

}  // namespace firn
