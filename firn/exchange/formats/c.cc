// C99 that needs no library: 64 samples in the bits of a word, tables of wires and a loop for each kind of gate, or one
// statement per gate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/exchange/formats/c_text.h"
#include "firn/network/boolean_network.h"

namespace firn::exchange {

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

NetGate gate_of(const KindGate& gate) {
  const Wire a(gate.a, gate.kind == Kind::kNor), b(gate.b, gate.kind == Kind::kNor || gate.kind == Kind::kAndNot);
  return {a, b, gate.kind == Kind::kXor ? Gate::kXor : Gate::kAnd, 0};
}

// What the file has around its gates. The writer writes it and the reader asks for it, letter by letter.

std::string usage_of_bits(const Blueprint& blueprint) {
  return fmt::format(
      " * Sample s of 64 is bit s of every word. Memory for intermediate results comes from the caller:\n"
      " *   uint64_t x[{0}_INPUTS], y[{0}_OUTPUTS], work[{0}_WORK];\n *   {1}(x, y, work);\n",
      macro_name(blueprint.name), blueprint.name);
}

// `name` is that of the function on bits.
std::string head_of(const Blueprint& blueprint, const std::string& name, const std::string& usage, std::size_t work) {
  std::string text = "/*\n";
  for (const std::string& note : blueprint.notes) text += " * " + note + "\n";
  text += fmt::format(
      " *\n{0} */\n#include <stdint.h>\n\n#define {1}_INPUTS {2}\n#define {1}_OUTPUTS {3}\n#define {1}_WORK {4}\n\n"
      "{5};\n\n",
      usage, macro_name(name), blueprint.netlist.inputs, blueprint.netlist.outputs.size(), work, bits_signature(name));
  return text;
}

std::string wires_opening(std::string_view name) {
  return fmt::format("/* Rows that each gate reads. */\nstatic const uint32_t {}_wires[] = {{", name);
}

std::string runs_opening(std::string_view name) {
  return fmt::format("/* Runs of equal gates: kind, length. */\nstatic const uint32_t {}_runs[] = {{", name);
}

std::string outputs_opening(std::string_view name) {
  return fmt::format(
      "/* Rows of the outputs times two, plus one where it is inverted. */\nstatic const uint32_t {}_outputs[] = {{",
      name);
}

std::string statements_opening(std::string_view name) {
  return bits_signature(name) + " {\n  (void)work;\n";
}

// The function that runs through the tables; v is one row of 64 samples a node.
std::string table_function(std::string_view name, std::size_t inputs, std::size_t gates, std::size_t outputs) {
  std::string text = fmt::format(
      "{} {{\n  uint64_t *v = work;\n  uint32_t i;\n  v[0] = 0;\n  for (i = 0; i < {}; ++i) v[1 + i] = x[i];\n",
      bits_signature(name), inputs);
  if (gates > 0) {
    text += fmt::format(
        "  const uint32_t *w = {0}_wires, *run = {0}_runs;\n  uint32_t next = {1};\n"
        "  for (; next < {2}; run += 2) {{\n    const uint32_t end = next + run[1];\n    switch (run[0]) {{\n",
        name, 1 + inputs, 1 + inputs + gates);
    for (std::size_t kind = 0; kind < kExpressions.size(); ++kind)
      text += fmt::format(
          "      {}: for (; next < end; ++next, w += 2) {{ const uint32_t a = w[0], b = w[1]; v[next] = {}; }} "
          "break;\n",
          kind + 1 < kExpressions.size() ? fmt::format("case {}", kind) : "default", kExpressions[kind]);
    text += "    }\n  }\n";
  }
  return text + fmt::format(
                    "  for (i = 0; i < {}; ++i) {{\n    const uint32_t o = {}_outputs[i];\n"
                    "    y[i] = v[o >> 1] ^ (0 - (uint64_t)(o & 1));\n  }}\n}}\n",
                    outputs, name);
}

constexpr std::size_t kNumbersPerLine = 16;

// Numbers separated by commas, in lines.
void append_numbers(std::string& text, const std::vector<std::uint32_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{},", i % kNumbersPerLine == 0 ? "\n  " : "", numbers[i]);
  text += kTableEnd;
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

// What follows the head: gates as tables, and the function that runs through them.
std::string tables_of(const Netlist& netlist, const std::string& name) {
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

  std::string text;
  if (!operands.empty()) {
    append_numbers(text += wires_opening(name), operands);
    append_numbers(text += runs_opening(name), runs);
  }
  append_numbers(text += outputs_opening(name), outputs);
  return text + table_function(name, netlist.inputs, netlist.gates.size(), outputs.size());
}

std::string statements_of(const Netlist& netlist, const std::string& name) {
  if (netlist.gates.size() > kMostUnrolled)
    throw Error(fmt::format(
        "the circuit has {} gates, too many to write one statement each (at most {}); write a table instead",
        netlist.gates.size(), kMostUnrolled));
  const auto plain = [&](std::uint32_t node) {
    if (node == 0) return std::string("(uint64_t)0");
    return netlist.is_gate(node) ? fmt::format("n{}", node) : fmt::format("x[{}]", node - 1);
  };
  const auto operand = [&](Wire wire) { return (wire.inverted() ? "~" : "") + plain(wire.node()); };
  std::string text = statements_opening(name);
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    text += fmt::format("  const uint64_t n{} = {} {} {};\n", netlist.gate(g).node(), operand(gate.a),
                        gate.op == Gate::kXor ? '^' : '&', operand(gate.b));
  }
  for (std::size_t o = 0; o < netlist.outputs.size(); ++o)
    text += fmt::format("  y[{}] = {};\n", o, operand(netlist.outputs[o]));
  return text + "}\n";
}

class CReader {
 public:
  CReader(std::string_view text, const std::string& source)
      : scan_(text, source, "the C that Firn writes"), source_(source) {}

  ParsedCircuit read() {
    scan_.expect("/*\n");
    while (!scan_.accept(" */\n")) scan_.skip_comment_line(" *");
    read_head();
    scan_.accept(statements_opening(name_)) ? read_statements() : read_tables();
    check_netlist(netlist_, source_);
    std::optional<Surroundings> surroundings;
    if (name_.ends_with(kBitsSuffix) && scan_.accept("\n"))
      surroundings = read_number_part(
          scan_, {name_.substr(0, name_.size() - kBitsSuffix.size()), netlist_.inputs, outputs_, work_, {}});
    scan_.expect_end();
    return {std::move(netlist_), {}, {}, std::move(surroundings)};
  }

 private:
  void read_head() {
    scan_.expect("#include <stdint.h>\n\n#define ");
    constexpr std::string_view kSuffix = "_INPUTS";
    std::string_view macro = scan_.identifier();
    if (!macro.ends_with(kSuffix)) scan_.fail("the number of inputs is missing");
    macro.remove_suffix(kSuffix.size());
    scan_.expect(" ");
    netlist_.inputs = scan_.number(most_inputs(scan_.remaining()) + 1);
    scan_.expect(fmt::format("\n#define {}_OUTPUTS ", macro));
    outputs_ = scan_.number(scan_.remaining());  // each of them takes a few letters
    if (netlist_.inputs == 0 || outputs_ == 0) scan_.fail("there are no inputs or no outputs");
    scan_.expect(fmt::format("\n#define {}_WORK ", macro));
    work_ = scan_.number(kMaxNodes);
    scan_.expect("\n\nvoid ");
    name_ = scan_.name();
    if (macro_name(name_) != macro) scan_.fail("the names do not agree");
    scan_.expect(kBitParameters);
    scan_.expect(";\n\n");
  }

  // With less memory than this the function would write where it must not.
  void check_work(std::size_t work) const {
    if (work_ != work) scan_.fail(fmt::format("{}_WORK should be {}", macro_name(name_), work));
  }

  Wire operand() {
    const bool inverted = scan_.accept("~");
    if (scan_.accept("(uint64_t)0")) return kFalse ^ inverted;
    if (scan_.accept("x[")) {
      const std::uint32_t i = scan_.number(netlist_.inputs);
      scan_.expect("]");
      return netlist_.input(i) ^ inverted;
    }
    scan_.expect("n");
    const std::uint32_t node = scan_.number(netlist_.nodes());
    if (!netlist_.is_gate(node)) scan_.fail(fmt::format("there is no n{}", node));
    return {node, inverted};
  }

  void read_statements() {
    check_work(1);
    while (scan_.accept("  const uint64_t n")) {
      if (scan_.number(kMaxNodes) != netlist_.nodes()) scan_.fail("the gates are not numbered one after the other");
      scan_.expect(" = ");
      const Wire a = operand();
      const bool is_xor = scan_.accept(" ^ ");
      if (!is_xor) scan_.expect(" & ");
      netlist_.gates.push_back({a, operand(), is_xor ? Gate::kXor : Gate::kAnd, 0});
      scan_.expect(";\n");
    }
    for (std::size_t o = 0; o < outputs_; ++o) {
      scan_.expect(fmt::format("  y[{}] = ", o));
      netlist_.outputs.push_back(operand());
      scan_.expect(";\n");
    }
    scan_.expect("}\n");
  }

  std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> found;
    while (!scan_.accept(kTableEnd)) {
      if (found.size() % kNumbersPerLine == 0) scan_.expect("\n  ");
      found.push_back(scan_.number(2 * kMaxNodes));
      scan_.expect(",");
    }
    return found;
  }

  void read_tables() {
    std::vector<std::uint32_t> wires, runs;
    if (scan_.accept(wires_opening(name_))) {
      wires = numbers();
      scan_.expect(runs_opening(name_));
      runs = numbers();
      if (wires.empty() || wires.size() % 2 != 0 || runs.size() % 2 != 0) scan_.fail("a table has a wrong length");
    }
    scan_.expect(outputs_opening(name_));
    const std::vector<std::uint32_t> outputs = numbers();
    if (outputs.size() != outputs_) scan_.fail(fmt::format("the table of outputs should have {}", outputs_));
    const std::size_t gates = wires.size() / 2;
    check_work(1 + netlist_.inputs + gates);
    std::size_t w = 0;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const std::uint32_t kind = runs[r], length = runs[r + 1];
      const bool goes_on = r > 0 && kind == runs[r - 2];
      if (kind >= kExpressions.size() || goes_on || length == 0 || length > gates - w / 2)
        scan_.fail("a run is damaged");
      for (std::uint32_t i = 0; i < length; ++i, w += 2) add_gate(static_cast<Kind>(kind), wires[w], wires[w + 1]);
    }
    if (w != wires.size()) scan_.fail("the runs end before the gates");
    for (std::uint32_t literal : outputs) netlist_.outputs.push_back(Wire::of_literal(literal));
    scan_.expect(table_function(name_, netlist_.inputs, gates, outputs_));
  }

  void add_gate(Kind kind, std::uint32_t a, std::uint32_t b) {
    if (std::max(a, b) >= netlist_.nodes()) scan_.fail("a gate reads a row that comes later");
    netlist_.gates.push_back(gate_of({kind, a, b}));
  }

  Scanner scan_;
  const std::string& source_;
  std::string name_;
  std::size_t outputs_ = 0, work_ = 0;
  Netlist netlist_;
};

}  // namespace

std::string macro_name(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string bits_signature(std::string_view name) {
  return fmt::format("void {}{}", name, kBitParameters);
}

std::size_t bits_work(const Netlist& netlist, const WriteOptions& options) {
  return options.unrolled ? 1 : netlist.nodes();
}

NumberPart number_part_of(const Blueprint& blueprint, const WriteOptions& options) {
  const Netlist& netlist = blueprint.netlist;
  return {blueprint.name, netlist.inputs, netlist.outputs.size(), bits_work(netlist, options), *blueprint.surroundings};
}

std::string write_c(const Blueprint& blueprint, const WriteOptions& options) {
  const bool numbers = blueprint.surroundings.has_value();
  const std::string name = numbers ? blueprint.name + std::string(kBitsSuffix) : blueprint.name;
  const std::string usage = numbers ? usage_of(number_part_of(blueprint, options)) : usage_of_bits(blueprint);
  const Netlist& netlist = blueprint.netlist;
  return head_of(blueprint, name, usage, bits_work(netlist, options)) +
         (options.unrolled ? statements_of(netlist, name) : tables_of(netlist, name)) +
         (numbers ? "\n" + number_part(number_part_of(blueprint, options)) : "");
}

ParsedCircuit read_c(std::string_view text, const std::string& source) {
  return CReader(text, source).read();
}

}  // namespace firn::exchange
