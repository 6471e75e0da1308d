#include "firn/exchange/blueprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "firn/base/error.h"
#include "firn/exchange/scanner.h"
#include "firn/network/kind.h"

namespace firn::exchange {

namespace {

// The 12 of "x[12]", or nothing like it: kNone. Some tools call the only bit of a bus as they call the bus.
constexpr std::size_t kNone = ~std::size_t{0};
std::size_t bit_of(std::string_view name, std::size_t width) {
  const std::size_t open = name.rfind('[');
  if (width == 1 && (name == "x" || name == "y")) return 0;
  if (open == std::string_view::npos || name.back() != ']') return kNone;
  std::size_t bit = 0;
  const char* last = name.data() + name.size() - 1;
  const auto [end, error] = std::from_chars(name.data() + open + 1, last, bit);
  return error == std::errc() && end == last ? bit : kNone;
}

// Position in the bus of each wire of the file.
std::vector<std::size_t> positions(const std::vector<std::string>& names, std::size_t found, std::size_t wanted,
                                   const char* what, const std::string& source) {
  if (found != wanted)
    throw Error(fmt::format("{} has {} {}s but the model has {}; export it without encoder and head", source, found,
                            what, wanted));
  std::vector<std::size_t> order(found);
  std::vector<bool> taken(found, false);
  for (std::size_t i = 0; i < found; ++i) {
    order[i] = names.empty() ? i : bit_of(names[i], wanted);
    if (order[i] >= wanted || taken[order[i]])
      throw Error(
          fmt::format("{}: the {} \"{}\" is not a bit of the bus or is duplicated; the names must be those of "
                      "the export",
                      source, what, glimpse(names[i])));
    taken[order[i]] = true;
  }
  return order;
}

}  // namespace

std::string input_name(std::size_t i) {
  return fmt::format("x[{}]", i);
}

std::string output_name(std::size_t o) {
  return fmt::format("y[{}]", o);
}

std::string contents(bool encoder, HeadForm head) {
  std::vector<std::string> parts;
  if (encoder) parts.push_back("encoder");
  if (head != HeadForm::kNone) parts.push_back(head == HeadForm::kOneHot ? "one-hot head" : "head");
  return parts.empty() ? "the circuit alone" : fmt::format("the circuit with {}", fmt::join(parts, " and "));
}

std::size_t most_inputs(std::size_t bytes) {
  constexpr std::size_t kFree = std::size_t{1} << 18;
  return std::min(std::max(bytes, kFree), kMaxFeatures);
}

Netlist in_bus_order(const ParsedCircuit& circuit, std::size_t inputs, std::size_t outputs, const std::string& source) {
  const Netlist& netlist = circuit.netlist;
  const auto input_order = positions(circuit.inputs, netlist.inputs, inputs, "input", source);
  const auto output_order = positions(circuit.outputs, netlist.outputs.size(), outputs, "output", source);
  Netlist ordered = netlist;
  const auto moved = [&](Wire wire) {
    const std::uint32_t node = wire.node();
    if (node == 0 || node > inputs) return wire;
    return netlist.input(input_order[node - 1]) ^ wire.inverted();
  };
  for (NetGate& gate : ordered.gates) {
    gate.a = moved(gate.a);
    gate.b = moved(gate.b);
  }
  for (std::size_t o = 0; o < outputs; ++o) ordered.outputs[output_order[o]] = moved(netlist.outputs[o]);
  return ordered;
}

}  // namespace firn::exchange
