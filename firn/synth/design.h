// A circuit as the tools get it: bare, or cut by registers into stages.
#pragma once

#include <cstddef>
#include <string>

#include "firn/circuit/netlist.h"
#include "firn/synth/workbench.h"

namespace firn::synth {

struct Design {
  Netlist netlist;         // canonical
  std::size_t stages = 0;  // of registers, as exported Verilog has them; 0: combinational
};

inline constexpr const char* kCoreModule = "core";

// Writes the circuit into the workbench and returns the yosys commands that read it as the module `core`, down to
// single gates and registers. AIGER where there are no registers: yosys takes seconds to read it where it takes minutes
// for the same gates as Verilog.
std::string load_commands(const Design& design, const Workbench& bench);

}  // namespace firn::synth
