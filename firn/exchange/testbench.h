// A Verilog testbench with stimulus and expected outputs inside, for the modules that write_verilog() writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/matrix.h"

namespace firn::exchange {

struct Testbench {
  std::string name;         // of the module that is tested; the testbench is called NAME_tb
  std::size_t samples = 0;  // at least one
  // What goes in and must come out, a row for each bit and one sample per bit of its words.
  Matrix<std::uint64_t> stimulus, expected;
  bool has_lanes = true;                // the module takes the parameter LANES
  std::size_t stages = 0;               // of the pipeline; 0: combinational
  std::vector<std::string> notes = {};  // lines for the head of the file
};

// Prints PASS and finishes, or prints FAIL and ends the simulation by $fatal, which is an exit code other than zero.
// Runs unchanged under Icarus Verilog and Verilator.
std::string write_testbench(const Testbench& bench);

// For testbenches of other kinds: the notes as comments; and the end of the module, from the task `fill`, which sets
// stimulus[] and expected[], over what drives the circuit and counts in `wrong`, to the verdict.
std::string testbench_notes(const Testbench& bench);
std::string testbench_body(const Testbench& bench, std::string_view drive);

}  // namespace firn::exchange
