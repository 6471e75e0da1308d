// Six-input look-up tables by ABC alone: rewriting, then a mapper that minimises levels first. With structural choices
// (`&dch -f`) instead of `&syn2` two circuits of 20,000 gates took 2 and 5 % fewer tables and ten to twenty times as
// long; this target is for circuits that are too large for the others.
#include "firn/synth/target.h"
#include "firn/synth/tool_output.h"

namespace firn::synth {

Measurement measure_abc(const Design& design, const Workbench& bench) {
  if (design.stages > 0) return {{std::nullopt, std::nullopt}, {"this script takes combinational circuits only"}};
  load_commands(design, bench);
  const MappedCounts counts = parse_abc_mapping(bench.run({"berkeley-abc", "-q", "&r core.aig; &syn2; &if -K 6; &ps"}));
  return {{static_cast<double>(counts.luts), static_cast<double>(counts.levels)}};
}

}  // namespace firn::synth
