// BLIF files.
#include "fuzz/circuit_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size,
                    [](std::string_view bytes) { check_circuit(read_blif(bytes, "fuzz"), find_format("blif")); });
}
