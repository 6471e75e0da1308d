#include "firn/train/area.h"
#include "firn/base/family.h"
#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, AreaSettings& settings) {
  table.section("area", "A price on the gates of the circuit, as a term of the training loss.");
  table.add("area.weight", settings.weight,
            "Factor on the mean expected area of a gate, over all placements; 0 asks no price.", at_least(0));
  table.add("area.target", settings.target, "What is counted: AND nodes, two-input gates or NAND equivalents.",
            one_of(names_of(area_targets())));
}

}  // namespace firn::study
