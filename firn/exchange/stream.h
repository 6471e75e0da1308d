// A Verilog module around a circuit that takes a sample word by word: no chip has a pin for every bit of an image.
#pragma once

#include <cstddef>
#include <string>

#include "firn/exchange/testbench.h"

namespace firn::exchange {

struct StreamWrapper {
  std::string name;  // of the module inside; the wrapper is called NAME_stream
  std::size_t inputs = 0, outputs = 0;
  std::size_t width = 32;  // bits of a word, at least 1; the first word of a sample holds its lowest bits
  bool has_lanes = true;   // the module inside takes the parameter LANES
  std::size_t stages = 0;  // of its pipeline; 0: combinational
  std::string note = {};   // a line for the head of the file
};

// A load register and two handshakes: a word is taken where in_valid and in_ready are 1 at a clock edge, a result where
// out_valid and out_ready are. The next sample is loaded after the result of this one has been taken.
std::string write_stream(const StreamWrapper& wrapper);

// A testbench for it that makes both sides wait now and then; else like write_testbench().
std::string write_stream_testbench(const Testbench& bench, std::size_t width);

}  // namespace firn::exchange
