// A network as circuits within a circuit: each filter once, and an instance of it at every position. A tool that works
// module by module then sees small circuits, however large the network is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/circuit/assemble.h"
#include "firn/circuit/comparators.h"
#include "firn/circuit/netlist.h"
#include "firn/network/boolean_network.h"

namespace firn::circuit {

struct Hierarchy {
  struct Module {
    std::string name;  // such as "conv1_3": filter 3 of the layer conv1
    Netlist netlist;   // simplified
  };
  // A bit that instances read: one of the inputs, an output of an earlier instance, or constant false.
  struct Signal {
    static constexpr std::size_t kInput = ~std::size_t{0}, kFalse = kInput - 1;
    std::size_t from = kFalse;  // kInput, kFalse or an instance
    std::size_t bit = 0;        // of the inputs, or of the outputs of the instance
  };
  struct Instance {
    std::size_t module;
    std::vector<Signal> inputs;
  };

  std::size_t inputs = 0;
  std::vector<Module> modules;
  std::vector<Instance> instances;  // in topological order
  std::vector<Signal> outputs;
};

// A module for each filter of a layer that is placed more than once, pool included; for each dense layer; for each set
// of thresholds that features have; and for the count of a group and the decision of the head. Inputs and outputs are
// those of the flat circuit with the same encoder and head.
Hierarchy hierarchy_of(const BooleanNetwork& network, const std::optional<Comparators>& encoder, HeadForm head);

// The same function without modules; not simplified.
Netlist flatten(const Hierarchy& hierarchy);

}  // namespace firn::circuit
