// A circuit as a list of two-input gates in topological order; inputs and outputs are known by their position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/logic/gate.h"

namespace firn::circuit {

// A node seen through an optional inverter; the inverter is the low bit of the literal, as in AIGER.
class Wire {
 public:
  constexpr Wire() = default;  // constant false
  constexpr Wire(std::uint32_t node, bool inverted) : literal_(2 * node + inverted) {}
  static constexpr Wire of_literal(std::uint32_t literal) { return {literal / 2, literal % 2 != 0}; }

  constexpr std::uint32_t node() const { return literal_ >> 1; }
  constexpr bool inverted() const { return literal_ & 1; }
  constexpr std::uint32_t literal() const { return literal_; }
  constexpr bool is_constant() const { return node() == 0; }

  constexpr Wire operator!() const { return {node(), !inverted()}; }
  constexpr Wire operator^(bool invert) const { return {node(), inverted() != invert}; }
  friend constexpr bool operator==(Wire, Wire) = default;

 private:
  std::uint32_t literal_ = 0;
};

inline constexpr Wire kFalse{0, false}, kTrue{0, true};
inline constexpr std::size_t kMaxNodes = std::size_t{1} << 31;  // so that a literal fits in 32 bits

// The value is op(a, b), each operand seen through its inverter.
struct NetGate {
  Wire a, b;
  Gate op = Gate::kAnd;
  std::uint16_t layer = 0;  // of the network it comes from, for statistics

  friend bool operator==(const NetGate&, const NetGate&) = default;
};
static_assert(sizeof(NetGate) == 12);

// Node 0 is constant false, nodes 1 to `inputs` are the inputs, and the gates follow. A gate reads earlier nodes only.
struct Netlist {
  std::size_t inputs = 0;
  std::vector<NetGate> gates;
  std::vector<Wire> outputs;

  std::size_t first_gate() const { return 1 + inputs; }  // node of gates[0]
  std::size_t nodes() const { return first_gate() + gates.size(); }
  Wire input(std::size_t i) const { return {static_cast<std::uint32_t>(1 + i), false}; }
  Wire gate(std::size_t g) const { return {static_cast<std::uint32_t>(first_gate() + g), false}; }
  bool is_gate(std::uint32_t node) const { return node >= first_gate(); }
  const NetGate& gate_of(std::uint32_t node) const { return gates[node - first_gate()]; }

  friend bool operator==(const Netlist&, const Netlist&) = default;
};

// An Error says which wire points nowhere or forward, or that there are too many nodes; `source` names the netlist.
void check_netlist(const Netlist& netlist, const std::string& source);

// True when every gate is AND or XOR, no operand is constant, XOR operands are not inverted and operands differ: the
// form that simplify() leaves and that schedules take.
bool is_canonical(const Netlist& netlist);

// Gates between the inputs and each node: 0 for inputs and constants.
std::vector<std::uint32_t> node_depths(const Netlist& netlist);

// One gate on words of 64 samples.
std::uint64_t apply_words(Gate op, std::uint64_t a, std::uint64_t b);

// Evaluates gate by gate, the slow and obvious way. in: [inputs][words], one sample per bit; result: [outputs][words].
Matrix<std::uint64_t> simulate(const Netlist& netlist, const Matrix<std::uint64_t>& in);

}  // namespace firn::circuit
