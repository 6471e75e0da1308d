#include "firn/circuit/unvisited.h"

#include <algorithm>
#include <array>
#include <bit>

#include "firn/base/error.h"
#include "firn/circuit/rewrite.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

constexpr std::uint8_t kAllRows = 15;

// The values of a gate in the order of a mask: bit 2 a + b.
constexpr std::uint8_t row_values(Gate gate) {
  std::uint8_t values = 0;
  for (unsigned row = 0; row < 4; ++row)
    if (eval(gate, row / 2 != 0, row % 2 != 0)) values |= static_cast<std::uint8_t>(1u << row);
  return values;
}

// From cheap to dear. The last eight are one AND with inverters each.
constexpr std::array kCheaper = {Gate::kFalse, Gate::kTrue,  Gate::kA,      Gate::kB,      Gate::kNotA,
                                 Gate::kNotB,  Gate::kAnd,   Gate::kAndNot, Gate::kNotAnd, Gate::kNor,
                                 Gate::kOr,    Gate::kOrNot, Gate::kNotOr,  Gate::kNand};
constexpr std::size_t kFreeGates = 6;  // constants, operands and complements

// The cheapest gate that agrees with `gate` in the visited rows.
Gate cheapest(Gate gate, std::uint8_t visited) {
  const bool is_xor = gate == Gate::kXor || gate == Gate::kXnor;
  for (std::size_t i = 0; i < (is_xor ? kCheaper.size() : kFreeGates); ++i)
    if (((row_values(kCheaper[i]) ^ row_values(gate)) & visited) == 0) return kCheaper[i];
  return gate;
}

}  // namespace

VisitedRows::VisitedRows(const Netlist& netlist)
    : netlist_(netlist), masks_(netlist.gates.size()), values_(netlist.nodes()) {}

void VisitedRows::visit(const Matrix<std::uint64_t>& in, std::size_t samples) {
  FIRN_CHECK(in.rows() == netlist_.inputs && samples <= 64 * in.cols());
  const auto value = [&](Wire wire) { return wire.inverted() ? ~values_[wire.node()] : values_[wire.node()]; };
  for (std::size_t w = 0; 64 * w < samples; ++w) {
    const std::size_t left = samples - 64 * w;
    const std::uint64_t valid = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    for (std::size_t i = 0; i < netlist_.inputs; ++i) values_[1 + i] = in[i][w];
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) {
      const NetGate& gate = netlist_.gates[g];
      const std::uint64_t a = value(gate.a), b = value(gate.b);
      values_[netlist_.first_gate() + g] = apply_words(gate.op, a, b);
      if (masks_[g] == kAllRows) continue;
      const std::array<std::uint64_t, 4> rows = {~a & ~b, ~a & b, a & ~b, a & b};
      for (unsigned row = 0; row < rows.size(); ++row)
        if ((rows[row] & valid) != 0) masks_[g] |= static_cast<std::uint8_t>(1u << row);
    }
  }
}

std::size_t VisitedRows::unvisited() const {
  std::size_t rows = 0;
  for (const std::uint8_t mask : masks_) rows += static_cast<std::size_t>(4 - std::popcount(mask));
  return rows;
}

void prune_unvisited(Netlist& netlist, const std::vector<std::uint8_t>& masks) {
  FIRN_CHECK(masks.size() == netlist.gates.size());
  std::size_t next = 0;
  rewrite(netlist, [&](NetGate gate, const auto& keep) {
    gate.op = cheapest(gate.op, masks[next++]);
    return keep(gate);
  });
  simplify(netlist);
}

}  // namespace firn::circuit
