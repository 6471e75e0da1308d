// C99 that needs no library: 64 samples in the bits of a word, tables of wires and a loop for each kind of gate, or one
// statement a gate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "firn/base/error.h"
#include "firn/exchange/format.h"

namespace firn {

namespace {

constexpr std::size_t kMostUnrolled = 50'000;  // compilers take minutes for more

// The four shapes of a canonical gate.
enum class Kind : std::uint8_t { kAnd, kAndNot, kNor, kXor };
constexpr std::array kExpressions = {"v[a] & v[b]", "v[a] & ~v[b]", "~(v[a] | v[b])", "v[a] ^ v[b]"};

struct KindGate {
  Kind kind;
  std::uint32_t a, b;  // nodes
};

KindGate kind_of(const NetGate& gate) {
  if (gate.op == Gate::kXor) return {Kind::kXor, gate.a.node(), gate.b.node()};
  if (gate.a.inverted() && gate.b.inverted()) return {Kind::kNor, gate.a.node(), gate.b.node()};
  if (gate.a.inverted()) return {Kind::kAndNot, gate.b.node(), gate.a.node()};
  return {gate.b.inverted() ? Kind::kAndNot : Kind::kAnd, gate.a.node(), gate.b.node()};
}

std::string macro_name(const std::string& name) {
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string head_of(const Blueprint& blueprint, std::size_t work) {
  const Netlist& netlist = blueprint.netlist;
  const std::string macro = macro_name(blueprint.name);
  std::string text = "/*\n";
  for (const std::string& note : blueprint.notes) text += " * " + note + "\n";
  text += fmt::format(
      " *\n * Sample s of 64 is bit s of every word. Memory for intermediate results comes from the caller:\n"
      " *   uint64_t x[{0}_INPUTS], y[{0}_OUTPUTS], work[{0}_WORK];\n *   {1}(x, y, work);\n */\n"
      "#include <stdint.h>\n\n#define {0}_INPUTS {2}\n#define {0}_OUTPUTS {3}\n#define {0}_WORK {4}\n\n",
      macro, blueprint.name, netlist.inputs, netlist.outputs.size(), work);
  return text;
}

std::string signature(const Blueprint& blueprint) {
  return fmt::format("void {}(const uint64_t *x, uint64_t *y, uint64_t *work) {{\n", blueprint.name);
}

// Numbers separated by commas, in lines.
void append_numbers(std::string& text, const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kPerLine = 16;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{},", i % kPerLine == 0 ? "\n  " : "", numbers[i]);
}

// Gates in the order of their depth and, within a depth, of their kind, so that few loops do.
std::vector<std::uint32_t> sorted_gates(const Netlist& netlist) {
  const std::vector<std::uint32_t> depths = node_depths(netlist);
  std::vector<std::uint32_t> order(netlist.gates.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto rank = [&](std::uint32_t g) {
    return std::pair(depths[netlist.first_gate() + g], kind_of(netlist.gates[g]).kind);
  };
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  return order;
}

std::string write_tables(const Blueprint& blueprint) {
  const Netlist& netlist = blueprint.netlist;
  std::vector<std::uint32_t> row(netlist.nodes()), operands, runs, outputs;
  std::iota(row.begin(), row.end(), 0u);
  const std::vector<std::uint32_t> order = sorted_gates(netlist);
  for (std::size_t i = 0; i < order.size(); ++i)
    row[netlist.first_gate() + order[i]] = static_cast<std::uint32_t>(netlist.first_gate() + i);
  for (std::uint32_t g : order) {
    const KindGate gate = kind_of(netlist.gates[g]);
    operands.insert(operands.end(), {row[gate.a], row[gate.b]});
    const auto kind = static_cast<std::uint32_t>(gate.kind);
    if (runs.empty() || runs[runs.size() - 2] != kind) runs.insert(runs.end(), {kind, 0});
    ++runs.back();
  }
  for (Wire output : netlist.outputs) outputs.push_back(2 * row[output.node()] + output.inverted());

  std::string text = head_of(blueprint, netlist.nodes());
  if (!operands.empty()) {
    text += fmt::format("/* Rows that each gate reads. */\nstatic const uint32_t {}_wires[] = {{", blueprint.name);
    append_numbers(text, operands);
    text += fmt::format("\n}};\n\n/* Runs of equal gates: kind, length. */\nstatic const uint32_t {}_runs[] = {{",
                        blueprint.name);
    append_numbers(text, runs);
    text += "\n};\n\n";
  }
  text += fmt::format(
      "/* Rows of the outputs times two, plus one where it is inverted. */\n"
      "static const uint32_t {}_outputs[] = {{",
      blueprint.name);
  append_numbers(text, outputs);
  text += "\n};\n\n" + signature(blueprint);
  text +=
      fmt::format("  uint64_t *v = work;\n  uint32_t i;\n  v[0] = 0;\n  for (i = 0; i < {}; ++i) v[1 + i] = x[i];\n",
                  netlist.inputs);
  if (!operands.empty()) {
    text += fmt::format(
        "  const uint32_t *w = {0}_wires, *run = {0}_runs;\n  uint32_t next = {1};\n"
        "  for (; next < {2}; run += 2) {{\n    const uint32_t end = next + run[1];\n"
        "    switch (run[0]) {{\n",
        blueprint.name, netlist.first_gate(), netlist.nodes());
    for (std::size_t kind = 0; kind < kExpressions.size(); ++kind)
      text += fmt::format(
          "      {}: for (; next < end; ++next, w += 2) {{ const uint32_t a = w[0], b = w[1]; v[next] = {}; }} "
          "break;\n",
          kind + 1 < kExpressions.size() ? fmt::format("case {}", kind) : "default", kExpressions[kind]);
    text += "    }\n  }\n";
  }
  text += fmt::format(
      "  for (i = 0; i < {}; ++i) {{\n    const uint32_t o = {}_outputs[i];\n"
      "    y[i] = v[o >> 1] ^ (0 - (uint64_t)(o & 1));\n  }}\n}}\n",
      netlist.outputs.size(), blueprint.name);
  return text;
}

std::string write_statements(const Blueprint& blueprint) {
  const Netlist& netlist = blueprint.netlist;
  if (netlist.gates.size() > kMostUnrolled)
    throw Error(
        fmt::format("the circuit has {} gates, too many to write one statement each (at most {}); use --style table",
                    netlist.gates.size(), kMostUnrolled));
  const auto plain = [&](std::uint32_t node) {
    if (node == 0) return std::string("(uint64_t)0");
    return netlist.is_gate(node) ? fmt::format("n{}", node) : fmt::format("x[{}]", node - 1);
  };
  const auto operand = [&](Wire wire) { return (wire.inverted() ? "~" : "") + plain(wire.node()); };
  std::string text = head_of(blueprint, 1) + signature(blueprint) + "  (void)work;\n";
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    text += fmt::format("  const uint64_t n{} = {} {} {};\n", netlist.gate(g).node(), operand(gate.a),
                        gate.op == Gate::kXor ? '^' : '&', operand(gate.b));
  }
  for (std::size_t o = 0; o < netlist.outputs.size(); ++o)
    text += fmt::format("  y[{}] = {};\n", o, operand(netlist.outputs[o]));
  return text + "}\n";
}

}  // namespace

std::string write_c(const Blueprint& blueprint, const WriteOptions& options) {
  return options.unrolled ? write_statements(blueprint) : write_tables(blueprint);
}

}  // namespace firn
