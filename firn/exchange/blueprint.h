// A circuit on its way into or out of a file: the netlist, what its wires are called, and what to say about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::exchange {

// What is written. The netlist is canonical.
struct Blueprint {
  std::string name;  // an identifier, for formats that have modules
  Netlist netlist;
  std::vector<std::string> notes;  // lines for the head of the file: bit order, layout, what is inside
};

// Inputs and outputs are two buses, x and y: the third input is "x[2]".
std::string input_name(std::size_t i);
std::string output_name(std::size_t o);

// "the circuit alone", "the circuit with head", ...
std::string contents(bool encoder, bool head);

// What was read.
struct ParsedCircuit {
  Netlist netlist;                           // any gates, in topological order
  std::vector<std::string> inputs, outputs;  // names; none at all where the file has none
};

// The netlist with inputs and outputs in the order that bus names like "x[3]" ask for; by position where the file has
// no names. An Error names what is missing, unknown or duplicated.
Netlist in_bus_order(const ParsedCircuit& circuit, std::size_t inputs, std::size_t outputs, const std::string& source);

}  // namespace firn::exchange
