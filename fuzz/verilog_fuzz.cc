// The Verilog that Firn writes, with and without registers.
#include "fuzz/circuit_target.h"

namespace firn {
namespace {

// A module without its head, comments and registers: "n5_2" becomes "n5". Inputs that nothing reads may have a wire.
std::string gates_of(std::string_view text) {
  std::string gates(text.substr(text.find("module ")));
  gates.erase(0, gates.find(");\n"));
  for (const char* line : {"  wire [LANES-1:0] x", "  reg ", "  localparam ", "  always ", "    ", "  end\n"})
    gates = without_lines(gates, line);
  for (std::size_t at = gates.find('_'); at != gates.npos; at = gates.find('_', at + 1))
    if (gates.substr(at + 1, 1) != "0") gates.erase(at, gates.find_first_not_of("0123456789", at + 1) - at);
  return gates;
}

// What is read as some circuit is what is written for it, wherever its registers are: the reader ignores nothing.
void check_text(std::string_view bytes, const ParsedCircuit& circuit) {
  std::size_t comments = 0;
  while (bytes.substr(comments).starts_with("//")) comments = bytes.find_first_of("\r\n", comments) + 1;
  FIRN_CHECK(bytes.substr(comments).starts_with("module "));
  FIRN_CHECK(gates_of(bytes.substr(comments)) == gates_of(write_verilog(blueprint_of(circuit), {})));
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const ParsedCircuit circuit = read_verilog(bytes, "fuzz");
    check_text(bytes, circuit);
    check_circuit(circuit, find_format("verilog"));
    check_circuit(circuit, find_format("verilog"), {.pipeline = 2});
  });
}
