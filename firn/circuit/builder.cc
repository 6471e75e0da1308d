#include "firn/circuit/builder.h"

#include <bit>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/recover_xors.h"

namespace firn::circuit {

namespace {

struct Comparison {
  Wire greater, equal;
};

// Halves are compared on their own and the upper one decides unless it is equal: a tree, where a chain from bit to bit
// would be several times as deep.
Comparison compare(NetBuilder& builder, std::span<const Wire> a, std::span<const Wire> b) {
  if (a.size() == 1) return {builder.make_and(a[0], !b[0]), !builder.make_xor(a[0], b[0])};
  const std::size_t half = a.size() / 2;
  const Comparison low = compare(builder, a.first(half), b.first(half));
  const Comparison high = compare(builder, a.subspan(half), b.subspan(half));
  return {builder.make_or(high.greater, builder.make_and(high.equal, low.greater)),
          builder.make_and(high.equal, low.equal)};
}

}  // namespace

Wire NetBuilder::shared(NetGate gate) {
  if (gate.a.literal() > gate.b.literal()) std::swap(gate.a, gate.b);
  const std::uint64_t key = std::uint64_t{gate.a.literal()} << 32 | gate.b.literal();
  auto& seen = gate.op == Gate::kAnd ? ands_ : xors_;
  const auto [found, fresh] = seen.emplace(key, static_cast<std::uint32_t>(netlist_.nodes()));
  if (fresh) {
    FIRN_CHECK(netlist_.nodes() < kMaxNodes);
    netlist_.gates.push_back(gate);
  }
  return {found->second, false};
}

Wire NetBuilder::make_and(Wire a, Wire b) {
  if (a == kFalse || b == kFalse || a == !b) return kFalse;
  if (a == kTrue || a == b) return b;
  if (b == kTrue) return a;
  if (const auto operands = spelled_out_xor(netlist_, a, b)) return make_xor(operands->first, operands->second);
  return shared({a, b, Gate::kAnd, 0});
}

Wire NetBuilder::make_xor(Wire a, Wire b) {
  const bool inverted = a.inverted() != b.inverted();
  a = a ^ a.inverted();
  b = b ^ b.inverted();
  if (a == b) return kFalse ^ inverted;
  if (a.is_constant()) return b ^ inverted;
  if (b.is_constant()) return a ^ inverted;
  return shared({a, b, Gate::kXor, 0}) ^ inverted;
}

Wire NetBuilder::choose(Wire condition, Wire then, Wire otherwise) {
  // otherwise ^ (condition & (then ^ otherwise)): the same word is often chosen from twice and shares its XOR.
  return make_xor(otherwise, make_and(condition, make_xor(then, otherwise)));
}

Wire NetBuilder::make(Gate op, Wire a, Wire b) {
  if (!depends_on_a(op) && !depends_on_b(op)) return kFalse ^ eval(op, 0, 0);
  if (!depends_on_b(op)) return a ^ eval(op, 0, 0);
  if (!depends_on_a(op)) return b ^ eval(op, 0, 0);
  if (op == Gate::kXor || op == Gate::kXnor) return make_xor(a, b) ^ (op == Gate::kXnor);
  // What is left is true, or false, for just one pair of operands.
  const bool mostly_true = std::popcount(static_cast<unsigned>(op)) == 3;
  for (int ab = 0; ab < 4; ++ab)
    if (eval(op, ab / 2, ab % 2) != mostly_true) return make_and(a ^ (ab / 2 == 0), b ^ (ab % 2 == 0)) ^ mostly_true;
  FIRN_CHECK(false);
  return kFalse;
}

std::vector<Wire> NetBuilder::embed(const Netlist& netlist, std::span<const Wire> inputs) {
  FIRN_CHECK(inputs.size() == netlist.inputs);
  std::vector<Wire> now(netlist.nodes());
  now[0] = kFalse;
  for (std::size_t i = 0; i < inputs.size(); ++i) now[1 + i] = inputs[i];
  const auto renamed = [&](Wire wire) { return now[wire.node()] ^ wire.inverted(); };
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    now[netlist.first_gate() + g] = make(gate.op, renamed(gate.a), renamed(gate.b));
  }
  std::vector<Wire> outputs;
  for (Wire output : netlist.outputs) outputs.push_back(renamed(output));
  return outputs;
}

Netlist NetBuilder::take(std::vector<Wire> outputs) && {
  netlist_.outputs = std::move(outputs);
  return std::move(netlist_);
}

Word count_ones(NetBuilder& builder, std::span<const Wire> bits) {
  const std::size_t width = static_cast<std::size_t>(std::bit_width(bits.size()));
  std::vector<std::vector<Wire>> columns(width + 1);  // wires of equal weight; the last column stays empty
  columns[0].assign(bits.begin(), bits.end());
  Word sum;
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<Wire>& column = columns[c];
    // First in, first out, so that early wires meet early and the tree is balanced.
    std::size_t next = 0;
    while (column.size() - next >= 3) {
      const Wire x = column[next], y = column[next + 1], z = column[next + 2];
      next += 3;
      const Wire half = builder.make_xor(x, y);
      column.push_back(builder.make_xor(half, z));
      columns[c + 1].push_back(builder.make_or(builder.make_and(x, y), builder.make_and(half, z)));
    }
    if (column.size() - next == 2) {
      const Wire x = column[next], y = column[next + 1];
      next += 2;
      column.push_back(builder.make_xor(x, y));
      columns[c + 1].push_back(builder.make_and(x, y));
    }
    sum.push_back(column.size() > next ? column[next] : kFalse);
  }
  return sum;
}

Wire is_greater(NetBuilder& builder, const Word& a, const Word& b) {
  FIRN_CHECK(a.size() == b.size() && !a.empty());
  return compare(builder, a, b).greater;
}

Wire is_greater_than(NetBuilder& builder, std::span<const Wire> a, std::uint64_t constant) {
  if (a.size() < 64 && constant >> a.size() != 0) return kFalse;
  Wire greater = kFalse;
  for (std::size_t i = 0; i < a.size(); ++i)
    greater = constant >> i & 1 ? builder.make_and(a[i], greater) : builder.make_or(a[i], greater);
  return greater;
}

}  // namespace firn::circuit
