#include "firn/exchange/testbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "firn/base/error.h"

namespace firn::exchange {

namespace {

// Bits of one sample as a number of Verilog, the last row first.
std::string literal(const Matrix<std::uint64_t>& rows, std::size_t sample) {
  std::string digits;
  for (std::size_t digit = (rows.rows() + 3) / 4; digit-- > 0;) {
    unsigned value = 0;
    for (std::size_t r = 4 * digit; r < std::min(4 * digit + 4, rows.rows()); ++r)
      value |= static_cast<unsigned>(rows[r][sample / 64] >> sample % 64 & 1) << r % 4;
    digits += "0123456789abcdef"[value];
  }
  return fmt::format("{}'h{}", rows.rows(), digits);
}

// Verilator 5.006 overlooks inputs that change bit by bit, so a block is put together first and then assigned at once.
// A new block of samples, one for each lane, at each step; with registers a step is a clock edge, and the block that
// comes out is DELAY steps old.
constexpr std::string_view kDrive = R"(
  initial begin
    fill;
    wrong = 0;
    for (t = 0; t < (SAMPLES + LANES - 1) / LANES + DELAY; t = t + 1) begin
      for (lane = 0; lane < LANES; lane = lane + 1)
        for (i = 0; i < INPUTS; i = i + 1) next[i * LANES + lane] = stimulus[(t * LANES + lane) % SAMPLES][i];
      x = next;
      #1;
)";
constexpr std::string_view kEdge = "      clock = 1; #1; clock = 0; #1;\n";
constexpr std::string_view kCheck = R"(      for (lane = 0; lane < LANES; lane = lane + 1) begin
        s = (t - DELAY) * LANES + lane;
        for (i = 0; i < OUTPUTS; i = i + 1) found[i] = y[i * LANES + lane];
        if (s >= 0 && s < SAMPLES && found !== expected[s]) begin
          if (wrong == 0) $display("sample %0d: y is %h, but %h is expected", s, found, expected[s]);
          wrong = wrong + 1;
        end
      end
    end
)";
constexpr std::string_view kVerdict = R"(    if (wrong > 0) begin
      $display("FAIL: %0d of %0d samples", wrong, SAMPLES);
      $fatal;
    end
    $display("PASS: %0d samples", SAMPLES);
    $finish;
  end
endmodule
)";

}  // namespace

std::string testbench_notes(const Testbench& bench) {
  std::string text;
  for (const std::string& note : bench.notes) text += "// " + note + "\n";
  return text;
}

std::string testbench_body(const Testbench& bench, std::string_view drive) {
  FIRN_CHECK(bench.samples > 0 && bench.samples <= 64 * bench.stimulus.cols() &&
             bench.samples <= 64 * bench.expected.cols());
  std::string text = "  task fill;\n    begin\n";
  for (std::size_t s = 0; s < bench.samples; ++s)
    text += fmt::format("      stimulus[{0}] = {1};\n      expected[{0}] = {2};\n", s, literal(bench.stimulus, s),
                        literal(bench.expected, s));
  return text + fmt::format("    end\n  endtask\n{}{}", drive, kVerdict);
}

std::string write_testbench(const Testbench& bench) {
  const bool clocked = bench.stages > 0;
  const std::string head = fmt::format(
      "// iverilog -o {0}_tb {0}_tb.v {0}.v && vvp {0}_tb, or verilator --binary {0}_tb.v {0}.v && obj_dir/V{0}_tb;\n"
      "{7}"
      "/* verilator lint_off WIDTH */\n"
      "module {0}_tb;\n  {8} LANES = 1;\n  localparam SAMPLES = {1}, INPUTS = {2}, OUTPUTS = {3}, DELAY = {4};\n"
      "  reg [INPUTS-1:0] stimulus [0:SAMPLES-1];\n  reg [OUTPUTS-1:0] expected [0:SAMPLES-1];\n"
      "  reg [INPUTS*LANES-1:0] x, next;\n  wire [OUTPUTS*LANES-1:0] y;\n  reg [OUTPUTS-1:0] found;\n"
      "  integer t, lane, i, s, wrong;\n{5}"
      "  {0} {9}circuit ({6}.x(x), .y(y));\n\n",
      bench.name, bench.samples, bench.stimulus.rows(), bench.expected.rows(), clocked ? bench.stages - 1 : 0,
      clocked ? "  reg clock = 0;\n" : "", clocked ? ".clock(clock), " : "",
      bench.has_lanes ? fmt::format("// LANES may be more than 1: -P{0}_tb.LANES=8 or -GLANES=8.\n", bench.name) : "",
      bench.has_lanes ? "parameter" : "localparam", bench.has_lanes ? "#(.LANES(LANES)) " : "");
  return testbench_notes(bench) + head +
         testbench_body(bench, fmt::format("{}{}{}", kDrive, clocked ? kEdge : "", kCheck));
}

}  // namespace firn::exchange
