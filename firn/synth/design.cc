#include "firn/synth/design.h"

#include <fmt/format.h>

#include "firn/exchange/format.h"

namespace firn::synth {

std::string load_commands(const Design& design, const Workbench& bench) {
  const Blueprint blueprint{.name = kCoreModule, .netlist = design.netlist};
  if (design.stages == 0) {
    bench.write("core.aig", write_aiger(blueprint, {}));
    return fmt::format("read_aiger -module_name {} core.aig\n", kCoreModule);
  }
  bench.write("core.v", write_verilog(blueprint, {.pipeline = design.stages}));
  return fmt::format("read_verilog core.v\nhierarchy -top {}\nproc\nsimplemap\nopt_clean\n", kCoreModule);
}

}  // namespace firn::synth
