// The C that Firn writes, in both styles.
#include "fuzz/circuit_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const ParsedCircuit circuit = read_c(bytes, "fuzz");
    check_circuit(circuit, find_format("c"));
    check_circuit(circuit, find_format("c"), {.unrolled = true});
  });
}
