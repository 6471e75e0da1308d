// Turns a Boolean network into a netlist: convolutions unrolled at every position, one gate for every application.
#pragma once

#include <cstddef>

#include "firn/circuit/netlist.h"
#include "firn/network/boolean_network.h"

namespace firn::circuit {

// Gates that lower() would make: every placement of every filter, three ORs for each pooled output.
std::size_t unrolled_gates(const BooleanNetwork& network);
std::size_t unrolled_gates(const BooleanLayer& layer);

enum class Padding {
  kZero,     // the border of an image is constant false, as the network has it
  kUnknown,  // each cell of the border is an input of its own, behind the real ones: for counting conventions that
             // charge a filter the same at every position
};

// Inputs are the features of network.input and outputs those of the last layer, in their order. Gates come layer by
// layer, filter by filter and position by position; their operations are those of the network, constants and
// pass-throughs included. The network must have passed check_network(). An Error says so where the circuit would be
// too large.
Netlist lower(const BooleanNetwork& network, Padding padding = Padding::kZero);

}  // namespace firn::circuit
