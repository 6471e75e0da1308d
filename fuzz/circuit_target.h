// What the readers of circuits share: what was read is sound, and after being written and read again it computes the
// same.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "firn/circuit/netlist.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "fuzz/run_target.h"

namespace firn {

// As a file of that name would be written.
inline Blueprint blueprint_of(const ParsedCircuit& circuit, std::string name = "net") {
  Blueprint blueprint;
  blueprint.name = std::move(name);
  blueprint.netlist = circuit.netlist;
  blueprint.surroundings = circuit.surroundings;
  return blueprint;
}

// The text without lines that begin with the word.
inline std::string without_lines(std::string_view text, std::string_view word) {
  std::string rest;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.size(), text.find('\n') + 1));
    if (!line.starts_with(word)) rest += line;
    text.remove_prefix(line.size());
  }
  return rest;
}

inline void check_circuit(const ParsedCircuit& circuit, const FormatEntry& format, const WriteOptions& options = {}) {
  check_netlist(circuit.netlist, "fuzz");
  FIRN_CHECK(circuit.inputs.empty() || circuit.inputs.size() == circuit.netlist.inputs);
  FIRN_CHECK(circuit.outputs.empty() || circuit.outputs.size() == circuit.netlist.outputs.size());
  constexpr std::size_t kMostInputs = 4096;  // a header may promise millions of inputs in a few bytes
  if (circuit.netlist.inputs == 0 || circuit.netlist.inputs > kMostInputs) return;
  Blueprint blueprint = blueprint_of(circuit);
  simplify(blueprint.netlist);
  const ParsedCircuit read_again = format.read(format.write(blueprint, options), "again");
  FIRN_CHECK(read_again.surroundings == circuit.surroundings);
  const Netlist& again = read_again.netlist;
  Matrix<std::uint64_t> in(circuit.netlist.inputs, 1);
  for (std::size_t i = 0; i < in.rows(); ++i) in[i][0] = 0x9e3779b97f4a7c15u * (i + 1);
  const auto first = simulate(circuit.netlist, in), second = simulate(again, in);
  for (std::size_t o = 0; o < first.rows(); ++o) FIRN_CHECK(first[o][0] == second[o][0]);
}

}  // namespace firn
