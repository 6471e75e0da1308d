// The pass "constants": a gate that does not depend on two different nodes becomes a constant or a wire.
#pragma once

#include "firn/circuit/netlist.h"

namespace firn::circuit {

// A rule for rewrite(): folds constant operations, constant operands, and operands that are the same node, inverted or
// not; keeps every other gate.
struct FoldConstant {
  template <class Keep>
  Wire operator()(const NetGate& gate, const Keep& keep) const {
    const Gate op = with_inputs_inverted(gate.op, gate.a.inverted(), gate.b.inverted());  // of the plain nodes
    const Wire a{gate.a.node(), false}, b{gate.b.node(), false};
    if (op == Gate::kFalse || op == Gate::kTrue) return kFalse ^ (op == Gate::kTrue);
    if (a == b) return function_of(a, eval(op, 0, 0), eval(op, 1, 1));
    if (a.is_constant()) return function_of(b, eval(op, 0, 0), eval(op, 0, 1));
    if (b.is_constant()) return function_of(a, eval(op, 0, 0), eval(op, 1, 0));
    return keep(gate);
  }

 private:
  // The function of one node that has value f0 where the node is false and f1 where it is true.
  static Wire function_of(Wire node, bool f0, bool f1) { return f0 == f1 ? kFalse ^ f0 : node ^ f0; }
};

void fold_constants(Netlist& netlist);

}  // namespace firn::circuit
