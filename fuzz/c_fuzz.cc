// The C that Firn writes, in both styles.
#include "fuzz/circuit_target.h"

namespace firn {
namespace {

void replace_all_in_c(std::string& text, std::string_view old, std::string_view now) {
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at)) text.replace(at, old.size(), now);
}

// What is left for a compiler once lines are joined and comments gone; the C in question has no strings.
std::string code_of(std::string text) {
  replace_all_in_c(text, "?\?/", "\\");
  replace_all_in_c(text, "\\\r\n", "");
  replace_all_in_c(text, "\\\n", "");
  for (std::size_t at = text.find("/*"); at != text.npos; at = text.find("/*", at)) {
    const std::size_t end = text.find("*/", at + 2);
    text.erase(at, end == text.npos ? end : end + 2 - at);
  }
  return text;
}

// Code that is read as some circuit is the code that is written for it: the reader ignores nothing. Only tables may
// list their gates in another order.
void check_code(std::string_view bytes, const ParsedCircuit& circuit) {
  const std::string code = code_of(std::string(bytes));
  std::string name = code.substr(code.find("void ") + 5);
  name.resize(name.find('('));
  if (circuit.surroundings) name.resize(name.rfind("_bits"));
  const std::string written = write_c(blueprint_of(circuit, name), {.unrolled = code.find("(void)work") != code.npos});
  if (read_c(written, "again").netlist == circuit.netlist) FIRN_CHECK(code_of(written) == code);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const ParsedCircuit circuit = read_c(bytes, "fuzz");
    check_code(bytes, circuit);
    check_circuit(circuit, find_format("c"));
    check_circuit(circuit, find_format("c"), {.unrolled = true});
  });
}
