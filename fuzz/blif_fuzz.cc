// BLIF files.
#include "fuzz/circuit_target.h"

namespace firn {
namespace {

void check_refused(const std::string& text) {
  bool refused = false;
  try {
    read_blif(text, "changed");
  } catch (const Error&) {
    refused = true;
  }
  FIRN_CHECK(refused);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    check_circuit(read_blif(bytes, "fuzz"), find_format("blif"));
    const std::string text(bytes);
    check_refused(text.substr(0, text.find(".end")));  // cut off
    check_refused(text + "\n.names more\n");
    check_refused(text + "\n.end\n");
  });
}
