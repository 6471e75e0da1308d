// A circuit on its way into or out of a file: the netlist, what its wires are called, and what to say about it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firn/circuit/assemble.h"
#include "firn/circuit/comparators.h"
#include "firn/circuit/netlist.h"
#include "firn/network/head.h"

namespace firn::exchange {

// What stands around the netlist in formats that know numbers, and not only bits.
struct Surroundings {
  Comparators encoder;
  std::size_t groups = 0;  // equal ones, in which outputs are counted; 0: the outputs are the number of the class
  friend bool operator==(const Surroundings&, const Surroundings&) = default;
};

// What is written. The netlist is canonical.
struct Blueprint {
  std::string name;  // an identifier, for formats that have modules
  Netlist netlist;
  std::vector<std::string> notes = {};            // lines for the head of the file: bit order, layout, what is inside
  std::vector<std::string> input_notes = {};      // those about what a caller passes, for header files as well
  std::optional<Surroundings> surroundings = {};  // only where the format takes numbers
  std::size_t classes = 0;
  std::optional<network::Head> value = {};  // where the outputs, counted, become a value instead of a class
  std::vector<std::string> feature_names = {}, class_names = {};  // may be empty
};

// Inputs and outputs are two buses, x and y: the third input is "x[2]".
std::string input_name(std::size_t i);
std::string output_name(std::size_t o);

// "the circuit alone", "the circuit with encoder and one-hot head", ...
std::string contents(bool encoder, HeadForm head);

// How many inputs a file of so many bytes may have. Those that nothing reads take no bytes in some formats, so there
// could be millions in a few letters; more than 262,144 must be backed by as many bytes, such as their names.
std::size_t most_inputs(std::size_t bytes);

// What was read.
struct ParsedCircuit {
  Netlist netlist;                           // any gates, in topological order
  std::vector<std::string> inputs, outputs;  // names; none at all where the file has none
  std::optional<Surroundings> surroundings = {};
};

// The netlist with inputs and outputs in the order that bus names like "x[3]" ask for; by position where the file has
// no names. An Error names what is missing, unknown or duplicated.
Netlist in_bus_order(const ParsedCircuit& circuit, std::size_t inputs, std::size_t outputs, const std::string& source);

}  // namespace firn::exchange
