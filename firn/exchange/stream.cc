#include "firn/exchange/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "firn/base/error.h"

namespace firn::exchange {

namespace {

std::size_t words_for(std::size_t bits, std::size_t width) {
  return (bits + width - 1) / width;
}

// The load register shifts whole words, so that no multiplexer is needed in front of its bits. Its contents stay until
// the result is taken, so the result needs no register of its own.
constexpr std::string_view kLoad = R"(
  reg [WORDS*WIDTH-1:0] sample;
  reg [31:0] taken;   // words of the sample
  reg [31:0] waited;  // edges since the last of them
  wire is_loaded = taken == WORDS;
  assign in_ready = !is_loaded;
  assign out_valid = is_loaded && waited >= LATENCY;
  always @(posedge clock)
    if (reset) begin
      taken <= 0;
      waited <= 0;
    end else if (!is_loaded) begin
      waited <= 0;
      if (in_valid) begin
        sample <= {in_data, sample} >> WIDTH;
        taken <= taken + 1;
      end
    end else if (!out_valid)
      waited <= waited + 1;
    else if (out_ready)
      taken <= 0;
endmodule
)";

constexpr std::size_t kPatience = 1000;  // edges without progress, beyond the stages, after which a testbench gives up

constexpr std::string_view kDriveStream = R"(
  initial begin
    fill;
    wrong = 0;
    noise = 1;
    s = 0;
    idle = 0;
    reset = 1; in_valid = 0; out_ready = 0;
    tick; tick;
    reset = 0;
    for (s = 0; s < SAMPLES; s = s + 1) begin
      pending = stimulus[s];
      for (w = 0; w < WORDS; w = w + 1) begin
        while (draw(0)) tick;
        in_data = pending[WIDTH-1:0];
        in_valid = 1;
        #1;
        while (!in_ready) tick;
        tick;
        in_valid = 0;
        idle = 0;
        in_data = ~in_data;
        pending = pending >> WIDTH;
      end
      while (!out_valid) tick;
      while (draw(0)) tick;
      if (out_data !== expected[s]) begin
        if (wrong == 0) $display("sample %0d: out_data is %h, but %h is expected", s, out_data, expected[s]);
        wrong = wrong + 1;
      end
      out_ready = 1; tick; out_ready = 0;
      if (out_valid) wrong = wrong + 1;
    end
)";

}  // namespace

std::string write_stream(const StreamWrapper& wrapper) {
  FIRN_CHECK(wrapper.width > 0 && wrapper.inputs > 0 && wrapper.outputs > 0);
  return fmt::format(
             "{6}/* verilator lint_off WIDTH */\n// {0} behind two handshakes: a sample comes in as {1} words of {2} "
             "bits, the lowest bits first.\n"
             "module {0}_stream (\n  input  wire clock,\n  input  wire reset,\n  input  wire in_valid,\n"
             "  output wire in_ready,\n  input  wire [{7}:0] in_data,\n  output wire out_valid,\n"
             "  input  wire out_ready,\n  output wire [{8}:0] out_data\n);\n"
             "  localparam WIDTH = {2}, WORDS = {1}, LATENCY = {3};\n"
             "  {0} {4}circuit ({5}.x(sample[{9}:0]), .y(out_data));\n",
             wrapper.name, words_for(wrapper.inputs, wrapper.width), wrapper.width, wrapper.stages,
             wrapper.has_lanes ? "#(.LANES(1)) " : "", wrapper.stages > 0 ? ".clock(clock), " : "",
             wrapper.note.empty() ? "" : "// " + wrapper.note + "\n", wrapper.width - 1, wrapper.outputs - 1,
             wrapper.inputs - 1) +
         std::string(kLoad);
}

std::string write_stream_testbench(const Testbench& bench, std::size_t width) {
  const std::string head = fmt::format(
      "// iverilog -o {0}_stream_tb {0}_stream_tb.v {0}_stream.v {0}.v && vvp {0}_stream_tb,\n"
      "// or verilator --binary {0}_stream_tb.v {0}_stream.v {0}.v && obj_dir/V{0}_stream_tb;\n"
      "/* verilator lint_off WIDTH */\n"
      "module {0}_stream_tb;\n  localparam SAMPLES = {1}, INPUTS = {2}, OUTPUTS = {3}, WIDTH = {4}, WORDS = {5};\n"
      "  reg [INPUTS-1:0] stimulus [0:SAMPLES-1];\n  reg [OUTPUTS-1:0] expected [0:SAMPLES-1];\n"
      "  reg [WORDS*WIDTH-1:0] pending;\n  reg [WIDTH-1:0] in_data;\n  wire [OUTPUTS-1:0] out_data;\n"
      "  reg clock = 0, reset, in_valid, out_ready;\n  wire in_ready, out_valid;\n  reg [31:0] noise;\n"
      "  integer s, w, wrong, idle;\n"
      "  {0}_stream circuit (.clock(clock), .reset(reset), .in_valid(in_valid), .in_ready(in_ready), "
      ".in_data(in_data),\n    .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data));\n\n"
      "  task tick;\n    begin\n      #1 clock = 1; #1 clock = 0; #1;\n      idle = idle + 1;\n"
      "      if (idle > {6}) begin\n        $display(\"FAIL: sample %0d is stuck\", s);\n        $fatal;\n      end\n"
      "    end\n  endtask\n\n"
      "  // A coin, so that each side waits at times.\n"
      "  function draw;\n    input unused;\n    begin\n      noise = noise * 1103515245 + 12345;\n"
      "      draw = noise[20] & noise[23];\n    end\n  endfunction\n\n",
      bench.name, bench.samples, bench.stimulus.rows(), bench.expected.rows(), width,
      words_for(bench.stimulus.rows(), width), bench.stages + kPatience);
  return testbench_notes(bench) + head + testbench_body(bench, kDriveStream);
}

}  // namespace firn::exchange
