// Makes a netlist smaller without changing what it computes: passes with names, and all of them to a fixpoint.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "firn/circuit/netlist.h"

namespace firn::circuit {

// A pass keeps inputs, outputs and topological order and never adds a gate. O(gates).
struct Pass {
  std::string_view name;
  std::string_view summary;
  void (*run)(Netlist& netlist);
};

std::span<const Pass> passes();

struct PassStats {
  std::string_view name;
  std::size_t removed = 0;  // gates
};

struct SimplifyStats {
  std::vector<PassStats> passes;  // as in passes()
  std::size_t gates_before = 0, gates_after = 0;
  std::size_t gates_unshared = 0;  // after every pass but sharing: the operations that counts without sharing report
};

// All passes to a fixpoint. The result is canonical (is_canonical) and has no gate that no output needs.
SimplifyStats simplify(Netlist& netlist);

}  // namespace firn::circuit
