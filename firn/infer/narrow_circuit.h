// A netlist made ready for a few samples: see kernels/narrow.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/circuit/netlist.h"
#include "firn/infer/cover.h"
#include "firn/kernels/narrow.h"

namespace firn::infer {

class NarrowCircuit {
 public:
  // `cover` is that of the netlist.
  NarrowCircuit(const Netlist& netlist, const Cover& cover);

  std::size_t rows() const { return rows_; }  // of memory that a run needs; the inputs are the first ones
  const std::vector<GateRun>& runs() const { return runs_; }
  NarrowProgram program() const;
  // Node 0 is constant false, node 1 + r is row r after the run.
  const std::vector<Wire>& outputs() const { return outputs_; }

 private:
  std::size_t inputs_, rows_;
  std::vector<GateRun> runs_;
  std::vector<std::uint16_t> short_operands_;  // where row numbers fit, else the long ones
  std::vector<std::uint32_t> long_operands_;
  std::vector<Wire> outputs_;
};

}  // namespace firn::infer
