// The Verilog that Firn writes, with and without registers.
#include "fuzz/circuit_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const ParsedCircuit circuit = read_verilog(bytes, "fuzz");
    check_circuit(circuit, find_format("verilog"));
    check_circuit(circuit, find_format("verilog"), {.pipeline = 2});
  });
}
