#include "firn/circuit/builder.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/recover_xors.h"

namespace firn::circuit {

namespace {

// Where two numbers differ first, seen from the top: the first is greater, or less, or neither.
struct Comparison {
  Wire greater, less;
};

// Halves are compared on their own and the upper one decides unless it is equal: a tree, where a chain from bit to bit
// would be several times as deep. What only the lowest bits need, simplification removes.
Comparison compare(NetBuilder& builder, std::span<const Wire> a, std::span<const Wire> b) {
  if (a.size() == 1) return {builder.make_and(a[0], !b[0]), builder.make_and(!a[0], b[0])};
  const std::size_t half = a.size() / 2;
  const Comparison low = compare(builder, a.first(half), b.first(half));
  const Comparison high = compare(builder, a.subspan(half), b.subspan(half));
  return {builder.make_or(high.greater, builder.make_and(!high.less, low.greater)),
          builder.make_or(high.less, builder.make_and(!high.greater, low.less))};
}

// Wires, the earliest first; of equally early ones the one that came first.
class Earliest {
 public:
  explicit Earliest(const NetBuilder& builder) : builder_(builder) {}

  std::size_t size() const { return waiting_.size(); }
  void put(Wire wire) { waiting_.push({builder_.level(wire), order_++, wire}); }
  Wire take() {
    const Wire wire = waiting_.top().wire;
    waiting_.pop();
    return wire;
  }

 private:
  struct Entry {
    std::uint32_t level;
    std::size_t order;
    Wire wire;
    bool operator>(const Entry& other) const { return std::tie(level, order) > std::tie(other.level, other.order); }
  };
  const NetBuilder& builder_;
  std::size_t order_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting_;
};

}  // namespace

std::vector<Wire> NetBuilder::inputs() const {
  std::vector<Wire> wires;
  for (std::size_t i = 0; i < netlist_.inputs; ++i) wires.push_back(netlist_.input(i));
  return wires;
}

Wire NetBuilder::shared(NetGate gate) {
  if (gate.a.literal() > gate.b.literal()) std::swap(gate.a, gate.b);
  const std::uint64_t key = std::uint64_t{gate.a.literal()} << 32 | gate.b.literal();
  auto& seen = gate.op == Gate::kAnd ? ands_ : xors_;
  const auto [found, fresh] = seen.emplace(key, static_cast<std::uint32_t>(netlist_.nodes()));
  if (fresh) {
    FIRN_CHECK(netlist_.nodes() < kMaxNodes);
    netlist_.gates.push_back(gate);
    levels_.push_back(std::max(level(gate.a), level(gate.b)) + (gate.op == Gate::kAnd ? 1 : 2));
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
  return make_or(make_and(condition, then), make_and(!condition, otherwise));
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

Wire any_of(NetBuilder& builder, std::span<const Wire> wires) {
  Earliest waiting(builder);
  for (const Wire wire : wires) waiting.put(wire);
  if (waiting.size() == 0) return kFalse;
  while (waiting.size() > 1) {
    const Wire x = waiting.take(), y = waiting.take();
    waiting.put(builder.make_or(x, y));
  }
  return waiting.take();
}

// Full adders reduce columns of wires of equal weight. In AND gates a full adder is seven: both XORs are three, the
// products in them are those of the carry, and one more joins these. In each column the three earliest wires are added
// next, the latest of them last, which is a path of two levels instead of four: a head of 10 x 1,024 is 107 levels of
// ANDs deep, where adding in the order of the wires made 151.
Word count_ones(NetBuilder& builder, std::span<const Wire> bits) {
  const std::size_t width = static_cast<std::size_t>(std::bit_width(bits.size()));
  std::vector<Earliest> columns(width + 1, Earliest(builder));  // the last column stays empty
  for (const Wire bit : bits) columns[0].put(bit);
  Word sum;
  for (std::size_t c = 0; c < width; ++c) {
    Earliest& column = columns[c];
    while (column.size() >= 3) {
      const Wire x = column.take(), y = column.take(), z = column.take();
      const Wire half = builder.make_xor(x, y);
      column.put(builder.make_xor(half, z));
      columns[c + 1].put(builder.make_or(builder.make_and(x, y), builder.make_and(half, z)));
    }
    if (column.size() == 2) {
      const Wire x = column.take(), y = column.take();
      column.put(builder.make_xor(x, y));
      columns[c + 1].put(builder.make_and(x, y));
    }
    sum.push_back(column.size() == 0 ? kFalse : column.take());
  }
  return sum;
}

Wire is_greater(NetBuilder& builder, const Word& a, const Word& b) {
  FIRN_CHECK(a.size() == b.size() && !a.empty());
  return compare(builder, a, b).greater;
}

}  // namespace firn::circuit
