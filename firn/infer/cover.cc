#include "firn/infer/cover.h"

#include <utility>

#include "firn/base/error.h"
#include "firn/kernels/circuit.h"

namespace firn::infer {

namespace {

// A gate on stored rows: operation(first, second), which is the complement of the gate's value where `inverted`.
struct Step {
  int operation = 0;
  std::uint32_t first = 0, second = 0;
  bool inverted = false;
};

// An operand of a gate: inverted tells whether the gate wants the complement of what is stored.
struct Stored {
  std::uint32_t node;
  bool inverted;
};

Step step_of(Gate op, Stored a, Stored b) {
  if (op == Gate::kXor) return {gate_kind::kXor, a.node, b.node, a.inverted != b.inverted};
  if (a.inverted && b.inverted) return {gate_kind::kOr, a.node, b.node, true};
  if (a.inverted) return {gate_kind::kAndNot, b.node, a.node, false};
  return {b.inverted ? gate_kind::kAndNot : gate_kind::kAnd, a.node, b.node, false};
}

class Covering {
 public:
  explicit Covering(const Netlist& netlist)
      : netlist_(netlist), uses_(netlist.nodes()), swallowed_(netlist.nodes()), swallows_(netlist.nodes()) {
    cover_.inverted.resize(netlist.nodes());
    for (const NetGate& gate : netlist.gates)
      for (Wire wire : {gate.a, gate.b}) ++uses_[wire.node()];
    for (Wire output : netlist.outputs) uses_[output.node()] += 2;  // an output must be stored
  }

  Cover run() {
    choose();
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g)
      if (!swallowed_[netlist_.gate(g).node()]) emit(netlist_.gate(g).node());
    return std::move(cover_);
  }

 private:
  // From the inputs on, so that the many gates at the leaves of a tree are the ones that need no row of their own.
  void choose() {
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g)
      for (Wire wire : {netlist_.gates[g].a, netlist_.gates[g].b}) {
        const std::uint32_t node = wire.node();
        if (!netlist_.is_gate(node) || uses_[node] != 1 || swallows_[node]) continue;
        swallowed_[node] = true;
        swallows_[netlist_.gate(g).node()] = true;
      }
  }

  Stored stored(Wire wire) const { return {wire.node(), wire.inverted() != cover_.inverted[wire.node()]}; }
  Step step(std::uint32_t node) const {
    const NetGate& gate = netlist_.gate_of(node);
    return step_of(gate.op, stored(gate.a), stored(gate.b));
  }

  void emit(std::uint32_t node) {
    const NetGate& gate = netlist_.gate_of(node);
    Instruction instruction;
    instruction.result = node;
    const bool takes_a = swallowed_[gate.a.node()], takes_b = swallowed_[gate.b.node()];
    if (takes_a && takes_b) {
      cover_.inverted[node] = emit_pair(gate, instruction);
    } else if (takes_a || takes_b) {
      cover_.inverted[node] =
          takes_a ? emit_chain(gate.op, gate.a, gate.b, instruction) : emit_chain(gate.op, gate.b, gate.a, instruction);
    } else {
      const Step only = step(node);
      instruction.kind = static_cast<std::uint8_t>(gate_kind::gate(only.operation));
      instruction.operand = {only.first, only.second};
      cover_.inverted[node] = only.inverted;
    }
    cover_.instructions.push_back(instruction);
  }

  // Both return whether the stored result is inverted.

  bool emit_chain(Gate op, Wire inner_wire, Wire outer_wire, Instruction& instruction) const {
    const Step inner = step(inner_wire.node());
    const Stored other = stored(outer_wire);
    const bool invert_inner = inner_wire.inverted() != inner.inverted;
    // Node 0 stands for the inner value, which has no row.
    const Step outer = step_of(op, {0, invert_inner}, other);
    const bool swapped = outer.operation == gate_kind::kAndNot && outer.first != 0;
    const int operation = swapped ? gate_kind::kNotAnd : outer.operation;
    instruction.kind = static_cast<std::uint8_t>(gate_kind::chain(inner.operation, operation));
    instruction.operand = {inner.first, inner.second, other.node};
    return outer.inverted;
  }

  bool emit_pair(const NetGate& gate, Instruction& instruction) const {
    Step left = step(gate.a.node()), right = step(gate.b.node());
    // Nodes 0 and 1 stand for the two inner values.
    const Step outer =
        step_of(gate.op, {0, gate.a.inverted() != left.inverted}, {1, gate.b.inverted() != right.inverted});
    const bool symmetric = outer.operation != gate_kind::kAndNot;
    if (symmetric ? left.operation > right.operation : outer.first != 0) std::swap(left, right);
    instruction.kind = static_cast<std::uint8_t>(gate_kind::pair(left.operation, right.operation, outer.operation));
    instruction.operand = {left.first, left.second, right.first, right.second};
    return outer.inverted;
  }

  const Netlist& netlist_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> swallowed_, swallows_;  // per node: is part of the gate behind it; contains gates before it
  Cover cover_;
};

}  // namespace

Cover cover_gates(const Netlist& netlist) {
  FIRN_CHECK(is_canonical(netlist));
  return Covering(netlist).run();
}

}  // namespace firn::infer
