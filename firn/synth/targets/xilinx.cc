// Six-input look-up tables of AMD's FPGAs by yosys. The script `synth_xilinx` begins where look-up tables are mapped:
// what precedes it looks for adders, memories and state machines, of which a flat netlist of gates has none, and takes
// most of the time. On a circuit of 20,362 gates the whole script took 31 s and found 6,877 cells, its last part 13 s
// and 7,047. Without wide multiplexers every cell is a table and a level is a table.
#include <fmt/format.h>

#include "firn/synth/target.h"
#include "firn/synth/tool_output.h"

namespace firn::synth {

Measurement measure_xilinx(const Design& design, const Workbench& bench) {
  bench.write("core.ys",
              fmt::format("read_verilog -lib +/xilinx/cells_sim.v\n"
                          "{}"
                          "synth_xilinx -top {} -noiopad -noclkbuf -nowidelut -nosrl -run {}:check\n"
                          "tee -o stat.txt stat\n"
                          "delete t:FD*\n"  // paths end at registers
                          "tee -o path.txt ltp\n",
                          load_commands(design, bench), kCoreModule, design.stages == 0 ? "map_luts" : "map_ffs"));
  bench.run({"yosys", "-q", "core.ys"});
  const CellCounts counts = parse_stat(bench.read("stat.txt"));
  // An inverter that stands alone takes a table like any other function.
  return {{static_cast<double>(counts.starting_with("LUT") + counts.starting_with("INV")),
           static_cast<double>(parse_longest_path(bench.read("path.txt")))}};
}

}  // namespace firn::synth
