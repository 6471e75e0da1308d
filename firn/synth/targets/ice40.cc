// Four-input look-up tables of Lattice's iCE40 by yosys and, where the circuit fits on an HX8K, place and route by
// nextpnr. No package has a pin for every pixel: there the inputs come from a shift register, and the outputs leave
// through another one. The clock period then includes the registers on both sides.
#include <fmt/format.h>

#include "firn/base/progress.h"
#include "firn/exchange/format.h"
#include "firn/synth/target.h"
#include "firn/synth/tool_output.h"

namespace firn::synth {

namespace {

constexpr std::size_t kLogicCells = 7680;  // of an HX8K: a table and a register each

constexpr const char* kCells = "read_verilog -lib -D ICE40_HX +/ice40/cells_sim.v\n";

std::string shift_in(std::size_t width, const char* name, const char* bit) {
  return width == 1 ? bit : fmt::format("{{{}[{}:0], {}}}", name, width - 2, bit);
}

std::string wrapper(const Netlist& netlist, bool clocked) {
  const std::size_t inputs = netlist.inputs, outputs = netlist.outputs.size();
  return fmt::format(
      "module top(input wire clock, input wire in, input wire load, output wire out);\n"
      "  reg [{}:0] x;\n"
      "  reg [{}:0] y;\n"
      "  wire [{}:0] result;\n"
      "  {} core_instance({}.x(x), .y(result));\n"
      "  always @(posedge clock) begin\n"
      "    x <= {};\n"
      "    y <= load ? result : {};\n"
      "  end\n"
      "  assign out = y[{}];\n"
      "endmodule\n",
      inputs - 1, outputs - 1, outputs - 1, kCoreModule, clocked ? ".clock(clock), " : "", shift_in(inputs, "x", "in"),
      shift_in(outputs, "y", "1'b0"), outputs - 1);
}

// Nanoseconds between clock edges.
double routed_period(const Design& design, const Workbench& bench) {
  bench.write("core.v", write_verilog({.name = kCoreModule, .netlist = design.netlist}, {.pipeline = design.stages}));
  bench.write("top.v", wrapper(design.netlist, design.stages > 0));
  bench.write("top.ys", fmt::format("{}read_verilog core.v top.v\nhierarchy -top top\nproc\nflatten\nsimplemap\n"
                                    "opt_clean\nsynth_ice40 -top top -run map_ffs:check\nwrite_json top.json\n",
                                    kCells));
  bench.run({"yosys", "-q", "top.ys"});
  bench.run({"nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", "top.json", "--report", "report.json", "--seed",
             "1", "--quiet", "--timing-allow-fail"});
  return 1000 / parse_nextpnr_report(bench.read("report.json")).mhz;
}

}  // namespace

Measurement measure_ice40(const Design& design, const Workbench& bench) {
  bench.write("core.ys", fmt::format("{}{}synth_ice40 -top {} -run {}:check\ntee -o stat.txt stat\n"
                                     "delete t:SB_DFF*\ntee -o path.txt ltp\n",  // paths end at registers
                                     kCells, load_commands(design, bench), kCoreModule,
                                     design.stages == 0 ? "map_luts" : "map_ffs"));
  bench.run({"yosys", "-q", "core.ys"});
  const CellCounts counts = parse_stat(bench.read("stat.txt"));
  const std::size_t luts = counts.starting_with("SB_LUT4"), registers = counts.starting_with("SB_DFF");
  Measurement found{{static_cast<double>(luts), static_cast<double>(parse_longest_path(bench.read("path.txt"))), {}}};
  // A register shares its cell with a table only where that table drives it.
  const std::size_t cells = luts + registers + design.netlist.inputs + design.netlist.outputs.size();
  if (!is_installed(kNextpnr))
    found.notes.push_back(absence(kNextpnr));
  else if (cells > kLogicCells)
    found.notes.push_back(
        fmt::format("nextpnr was not asked: with shift registers for inputs and outputs the circuit "
                    "takes up to {} logic cells, and an HX8K has {}",
                    format_count(cells), format_count(kLogicCells)));
  else
    found.values[2] = value_or_note([&] { return routed_period(design, bench); }, found.notes);
  return found;
}

}  // namespace firn::synth
