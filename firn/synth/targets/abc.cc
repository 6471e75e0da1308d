// Six-input look-up tables by ABC alone: structural choices, then a mapper that minimises levels first.
#include "firn/synth/target.h"
#include "firn/synth/tool_output.h"

namespace firn::synth {

Measurement measure_abc(const Design& design, const Workbench& bench) {
  if (design.stages > 0) return {{std::nullopt, std::nullopt}, {"this script takes combinational circuits only"}};
  load_commands(design, bench);
  const MappedCounts counts =
      parse_abc_mapping(bench.run({"berkeley-abc", "-q", "&r core.aig; &dch -f; &if -K 6; &ps"}));
  return {{static_cast<double>(counts.luts), static_cast<double>(counts.levels)}};
}

}  // namespace firn::synth
