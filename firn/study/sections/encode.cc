#include "firn/base/family.h"
#include "firn/encode/encoding.h"
#include "firn/encode/leading_bits.h"
#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, EncodeSettings& settings) {
  table.section("encode", "How values become bits.");
  table.add("encode.encoding", settings.encoding, "The encoding.", one_of(names_of(encodings())));
  table.add("encode.thresholds", settings.thresholds, "Bits per value, for the thermometers.",
            between(1, kMaxThresholds));
  table.add("encode.scope", settings.scope,
            "Which values share the quantiles of distributive: all, those of a channel, or those of a feature.",
            one_of({"global", "channel", "feature"}));
  table.add("encode.bits", settings.bits,
            "Leading bits of a byte that the thermometers look at, to save comparators; 0 is all of them.",
            between(0, kByteBits));
}

}  // namespace firn::study
