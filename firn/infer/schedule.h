// A netlist made ready to run: instructions in an order that suits the cache, on rows that are used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/circuit/netlist.h"
#include "firn/infer/cover.h"
#include "firn/kernels/circuit.h"

namespace firn::infer {

struct Schedule {
  std::size_t inputs = 0;  // rows 0 to inputs - 1 hold them when a run begins; they may be overwritten
  std::size_t rows = 0;    // of memory that a run needs, the inputs included
  std::size_t gates = 0;   // of the netlist
  std::vector<GateRun> runs;
  std::vector<std::uint32_t> instruction_rows;  // operands and result of each instruction
  std::vector<Wire> outputs;                    // node 0 is constant false, node 1 + r is row r after the run
};

// The netlist is canonical. The window says how far instructions of one kind are gathered, 0 tries several; what is
// computed does not depend on it.
Schedule make_schedule(const Netlist& netlist, std::size_t window = 0);
Schedule make_schedule(const Netlist& netlist, const Cover& cover, std::size_t window = 0);  // of the netlist

}  // namespace firn::infer
