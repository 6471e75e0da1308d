// Cells of the OSU 0.18 um library by yosys and ABC, and the slowest path by OpenSTA. Inputs are driven by a BUFX2 and
// outputs drive 0.02 pF, and ABC may insert buffers and choose larger cells: without that one wire that hundreds of
// gates read decides the delay. On a circuit of 20,362 gates buffers cost 8 % of area and took the delay from 3.8
// to 1.8 ns. Wires between cells have neither length nor delay; a layout would be slower.
#include <fmt/format.h>

#include "firn/base/file.h"
#include "firn/synth/target.h"
#include "firn/synth/tool_output.h"

namespace firn::synth {

namespace {

// Shorter than the script that yosys has by default. That one proves gates equal by SAT (`&fraig -x`), which has no
// bound: on counters of a thousand gates it did not end within nine minutes. `&dch -f` in place of `&syn2` gave 2 %
// less area and 4 % more delay on 20,362 gates, in 19 s instead of 8.
constexpr const char* kScript =
    "strash\n&get -n\n&syn2\n&nf\n&put\nbuffer -c\ntopo\nstime -p\nupsize\ndnsize\nstime -p\n";

constexpr double kPeriod = 1000;  // ns: longer than any path, and short enough for single precision

// Where there are registers, the shortest clock period that suits them: clock to output, gates, and setup.
double slowest_path(const Design& design, const Workbench& bench) {
  const char* ports = design.stages == 0 ? "" : "[get_ports clock]";
  bench.write("core.tcl", fmt::format("read_liberty {}\n"
                                      "read_verilog mapped.v\n"
                                      "link_design {}\n"
                                      "create_clock -name clock -period {} {}\n"
                                      "set data [get_ports x*]\n"
                                      "set_driving_cell -lib_cell BUFX2 $data\n"
                                      "set_load 0.02 [all_outputs]\n"
                                      "set_input_delay 0 -clock clock $data\n"
                                      "set_output_delay 0 -clock clock [all_outputs]\n"
                                      "report_checks -path_delay max -digits 4\n",
                                      kLiberty, kCoreModule, kPeriod, ports));
  return kPeriod - parse_slack(bench.run({"sta", "-no_splash", "-exit", "core.tcl"}));
}

}  // namespace

Measurement measure_osu018(const Design& design, const Workbench& bench) {
  bench.write("drive.constr", "set_driving_cell BUFX2\nset_load 0.02 [all_outputs]\n");
  bench.write("map.abc", kScript);
  bench.write("core.ys",
              fmt::format("{}dfflibmap -liberty {}\nabc -liberty {} -constr drive.constr -script map.abc\nopt_clean\n"
                          "tee -o stat.txt stat -liberty {}\nwrite_verilog -noattr mapped.v\n",
                          load_commands(design, bench), kLiberty, kLiberty, kLiberty));
  bench.run({"yosys", "-q", "core.ys"});
  const CellCounts counts = parse_stat(bench.read("stat.txt"));
  const double nand2 = parse_cell_area(read_text(kLiberty), "NAND2X1");
  Measurement found{{counts.area, counts.area / nand2, static_cast<double>(counts.starting_with("DFF")), std::nullopt}};
  if (is_installed(kSta))
    found.values[3] = value_or_note([&] { return slowest_path(design, bench); }, found.notes);
  else
    found.notes.push_back(absence(kSta));
  return found;
}

}  // namespace firn::synth
