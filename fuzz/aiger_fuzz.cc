// AIGER files, binary and ASCII.
#include "fuzz/circuit_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const ParsedCircuit circuit = read_aiger(bytes, "fuzz");
    FIRN_CHECK(circuit.netlist.inputs <= std::max(bytes.size(), std::size_t{1} << 18));  // memory follows the file
    check_circuit(circuit, find_format("aiger"));
    check_circuit(circuit, find_format("aag"));
  });
}
