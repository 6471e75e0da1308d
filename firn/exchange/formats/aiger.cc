// AIGER, the format of the hardware model checking competitions: AND gates and inverters only, binary or ASCII.
// Format by Armin Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "firn/base/error.h"
#include "firn/exchange/format.h"
#include "firn/exchange/scanner.h"
#include "firn/exchange/topological.h"
#include "firn/network/boolean_network.h"

namespace firn::exchange {

namespace {

// A pair of literals in either order.
std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::max(a, b)} << 32 | std::min(a, b);
}

// A canonical netlist as AND gates: pairs of literals in the order of their variables, which follow the inputs. An XOR
// is three gates, two of which are products of its operands; these are shared with gates that need them anyway, as the
// carries of adders do, so an adder is seven gates and not nine.
struct AndGraph {
  std::size_t inputs;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gates;
  std::vector<std::uint32_t> outputs;

  explicit AndGraph(const Netlist& netlist) : inputs(netlist.inputs) {
    std::vector<std::uint32_t> literals(netlist.nodes());
    for (std::size_t i = 0; i <= inputs; ++i) literals[i] = static_cast<std::uint32_t>(2 * i);
    const auto literal = [&](Wire wire) { return literals[wire.node()] ^ static_cast<std::uint32_t>(wire.inverted()); };
    const auto products = products_of(netlist);
    for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
      const NetGate& gate = netlist.gates[g];
      const std::uint32_t a = literal(gate.a), b = literal(gate.b);
      const bool crossed = gate.op == Gate::kXor && wants_crossed(products, gate);
      literals[netlist.first_gate() + g] =
          gate.op == Gate::kAnd ? add(a, b) : exclusive(a, b ^ static_cast<std::uint32_t>(crossed)) ^ crossed;
    }
    for (Wire output : netlist.outputs) outputs.push_back(literal(output));
  }

 private:
  static std::unordered_set<std::uint64_t> products_of(const Netlist& netlist) {
    std::unordered_set<std::uint64_t> products;
    for (const NetGate& gate : netlist.gates)
      if (gate.op == Gate::kAnd) products.insert(pair_key(gate.a.literal(), gate.b.literal()));
    return products;
  }

  // Whether the products of one operand with the inverse of the other serve at least as many other gates as
  // those of both and of both inverses.
  static bool wants_crossed(const std::unordered_set<std::uint64_t>& products, const NetGate& gate) {
    const auto has = [&](Wire a, Wire b) { return products.count(pair_key(a.literal(), b.literal())); };
    return has(gate.a, !gate.b) + has(!gate.a, gate.b) >= has(gate.a, gate.b) + has(!gate.a, !gate.b);
  }

  std::uint32_t exclusive(std::uint32_t a, std::uint32_t b) { return add(add(a, b) ^ 1, add(a ^ 1, b ^ 1) ^ 1); }

  std::uint32_t add(std::uint32_t a, std::uint32_t b) {
    const auto [found, fresh] = variables_.try_emplace(pair_key(a, b), 0);
    if (fresh) found->second = append(a, b);
    return found->second;
  }

  std::uint32_t append(std::uint32_t a, std::uint32_t b) {
    const std::size_t variable = 1 + inputs + gates.size();
    if (variable >= kMaxNodes) throw Error("the circuit has too many gates for the AIGER format");
    gates.emplace_back(std::max(a, b), std::min(a, b));
    return static_cast<std::uint32_t>(2 * variable);
  }

  std::unordered_map<std::uint64_t, std::uint32_t> variables_;  // pair of literals -> literal of their AND
};

std::string header(const char* magic, const AndGraph& graph) {
  return fmt::format("{} {} {} 0 {} {}\n", magic, graph.inputs + graph.gates.size(), graph.inputs, graph.outputs.size(),
                     graph.gates.size());
}

std::string symbols_and_comment(const Blueprint& blueprint) {
  std::string text;
  for (std::size_t i = 0; i < blueprint.netlist.inputs; ++i) text += fmt::format("i{} {}\n", i, input_name(i));
  for (std::size_t o = 0; o < blueprint.netlist.outputs.size(); ++o) text += fmt::format("o{} {}\n", o, output_name(o));
  text += "c\n";
  for (const std::string& note : blueprint.notes) text += note + "\n";
  return text;
}

// Seven bits a byte, least significant first; all bytes but the last have their top bit set.
void append_delta(std::string& bytes, std::uint32_t delta) {
  for (; delta >= 0x80; delta >>= 7) bytes += static_cast<char>((delta & 0x7f) | 0x80);
  bytes += static_cast<char>(delta);
}

class AigerReader {
 public:
  AigerReader(std::string_view bytes, const std::string& source) : rest_(bytes), source_(source) {}

  ParsedCircuit read() {
    read_header();
    circuit_.netlist.inputs = inputs_;
    binary_ ? read_binary() : read_ascii();
    read_symbols();
    check_netlist(circuit_.netlist, source_);
    return std::move(circuit_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(fmt::format("{}: {}", source_, sentence)); }

  void read_header() {
    const std::string_view line = next_line("header");
    const std::string_view magic = line.substr(0, line.find(' '));
    if (magic != "aig" && magic != "aag") fail("it does not begin with \"aig\" or \"aag\", so it is no AIGER file");
    binary_ = magic == "aig";
    const auto numbers = numbers_of(line.substr(magic.size()));
    if (numbers.size() < 5 || numbers.size() > 9) fail("the header must be M I L O A");
    for (std::size_t i = 5; i < numbers.size(); ++i)
      if (numbers[i] != 0) fail("properties and constraints are not supported; only inputs, outputs and AND gates are");
    const std::size_t latches = numbers[2];
    if (latches != 0) fail(fmt::format("it has {} latches, but only combinational circuits can be read", latches));
    maximum_ = numbers[0];
    inputs_ = numbers[1];
    outputs_ = numbers[3];
    gates_ = numbers[4];
    // An output takes two bytes at least, and so does a gate; inputs take none in a binary file.
    if (maximum_ >= kMaxNodes || inputs_ > most_inputs(rest_.size()) || outputs_ > rest_.size() ||
        gates_ > rest_.size())
      fail("the header promises more than the file holds");
    if (inputs_ + gates_ > maximum_ || (binary_ && inputs_ + gates_ != maximum_))
      fail("the numbers of the header do not add up");
  }

  void read_binary() {
    for (std::size_t o = 0; o < outputs_; ++o) circuit_.netlist.outputs.push_back(wire_of(one_number("output")));
    circuit_.netlist.gates.reserve(gates_);
    for (std::size_t g = 0; g < gates_; ++g) {
      const std::uint64_t own = 2 * (1 + inputs_ + g);
      const std::uint64_t first = read_delta(), second = read_delta();
      if (first == 0 || first > own || second > own - first) fail(fmt::format("AND gate {} reads a later gate", g));
      circuit_.netlist.gates.push_back({wire_of(own - first), wire_of(own - first - second), Gate::kAnd, 0});
    }
  }

  // The variables of an ASCII file may have any order and numbers.
  void read_ascii() {
    // In the order of the file: inputs, then gates. A header may promise billions of variables in a few bytes.
    std::unordered_map<std::uint64_t, std::uint32_t> node_of{{0, 0}};
    const auto define = [&](std::uint64_t literal, std::size_t node) {
      if (literal % 2 != 0 || literal / 2 > maximum_ ||
          !node_of.emplace(literal / 2, static_cast<std::uint32_t>(node)).second)
        fail(fmt::format("the literal {} cannot be defined here", literal));
    };
    for (std::size_t i = 0; i < inputs_; ++i) define(one_number("input"), 1 + i);
    std::vector<std::uint64_t> outputs;
    for (std::size_t o = 0; o < outputs_; ++o) outputs.push_back(one_number("output"));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> operands;
    for (std::size_t g = 0; g < gates_; ++g) {
      const auto numbers = numbers_of(next_line("AND gate"));
      if (numbers.size() != 3) fail(fmt::format("AND gate {} is not three numbers", g));
      define(numbers[0], 1 + inputs_ + g);
      operands.emplace_back(numbers[1], numbers[2]);
    }
    const auto resolve = [&](std::uint64_t literal) {
      const auto node = node_of.find(literal / 2);
      if (node == node_of.end()) fail(fmt::format("the literal {} is used but not defined", literal));
      return Wire(node->second, literal % 2 != 0);
    };
    Netlist& netlist = circuit_.netlist;
    for (const auto& [a, b] : operands) netlist.gates.push_back({resolve(a), resolve(b), Gate::kAnd, 0});
    for (std::uint64_t output : outputs) netlist.outputs.push_back(resolve(output));
    sort_topologically(netlist, source_);
  }

  using Symbols = std::vector<std::pair<std::size_t, std::string_view>>;  // position, name

  void read_symbols() {
    Symbols inputs, outputs;
    while (!rest_.empty()) {
      const std::string_view line = next_line("symbol");
      if (line.starts_with('c')) break;  // a comment to the end, which ABC's &w begins on this line
      const std::size_t space = line.find(' ');
      const auto position =
          space == std::string_view::npos || space < 2 ? std::nullopt : number(line.substr(1, space - 1));
      const bool is_input = line.starts_with('i'), is_output = line.starts_with('o');
      if (!position || is_input == is_output || *position >= (is_input ? inputs_ : outputs_))
        fail("a line of the symbol table is damaged");
      (is_input ? inputs : outputs).emplace_back(*position, line.substr(space + 1));
    }
    circuit_.inputs = names_of(inputs, inputs_, "inputs");
    circuit_.outputs = names_of(outputs, outputs_, "outputs");
  }

  // All or none: a header may promise millions of inputs in a few bytes, and names for some of them help nobody.
  std::vector<std::string> names_of(const Symbols& symbols, std::size_t count, const char* what) const {
    if (symbols.empty()) return {};
    if (symbols.size() != count)
      fail(fmt::format("{} of {} {} have names; give all of them one, or none", symbols.size(), count, what));
    std::vector<std::string> names(count);
    for (const auto& [position, name] : symbols) names[position] = name;
    return names;
  }

  Wire wire_of(std::uint64_t literal) const {
    if (literal / 2 > maximum_) fail(fmt::format("the literal {} is larger than the header allows", literal));
    return {static_cast<std::uint32_t>(literal / 2), literal % 2 != 0};
  }

  std::uint64_t read_delta() {
    std::uint64_t delta = 0;
    for (int shift = 0;; shift += 7) {
      if (rest_.empty()) fail("it ends within the AND gates");
      if (shift > 28) fail("an AND gate is damaged");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      delta |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return delta;
    }
  }

  std::string_view next_line(const char* what) {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail(fmt::format("it ends before the {}", what));
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  static std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::vector<std::uint64_t> numbers_of(std::string_view line) const {
    std::vector<std::uint64_t> numbers;
    while (true) {
      while (line.starts_with(' ')) line.remove_prefix(1);
      if (line.empty()) return numbers;
      const std::string_view word = line.substr(0, line.find(' '));
      const auto value = number(word);
      if (!value) fail(fmt::format("\"{}\" is not a number", glimpse(word)));
      numbers.push_back(*value);
      line.remove_prefix(word.size());
    }
  }

  std::uint64_t one_number(const char* what) {
    const auto numbers = numbers_of(next_line(what));
    if (numbers.size() != 1) fail(fmt::format("an {} is not one number", what));
    return numbers[0];
  }

  std::string_view rest_;
  const std::string& source_;
  bool binary_ = false;
  std::size_t maximum_ = 0, inputs_ = 0, outputs_ = 0, gates_ = 0;
  ParsedCircuit circuit_;
};

}  // namespace

std::string write_aiger(const Blueprint& blueprint, const WriteOptions&) {
  const AndGraph graph(blueprint.netlist);
  std::string bytes = header("aig", graph);
  for (std::uint32_t output : graph.outputs) bytes += fmt::format("{}\n", output);
  for (std::size_t g = 0; g < graph.gates.size(); ++g) {
    const auto& [larger, smaller] = graph.gates[g];
    append_delta(bytes, static_cast<std::uint32_t>(2 * (1 + graph.inputs + g)) - larger);
    append_delta(bytes, larger - smaller);
  }
  return bytes + symbols_and_comment(blueprint);
}

std::string write_ascii_aiger(const Blueprint& blueprint, const WriteOptions&) {
  const AndGraph graph(blueprint.netlist);
  std::string text = header("aag", graph);
  for (std::size_t i = 1; i <= graph.inputs; ++i) text += fmt::format("{}\n", 2 * i);
  for (std::uint32_t output : graph.outputs) text += fmt::format("{}\n", output);
  for (std::size_t g = 0; g < graph.gates.size(); ++g)
    text += fmt::format("{} {} {}\n", 2 * (1 + graph.inputs + g), graph.gates[g].first, graph.gates[g].second);
  return text + symbols_and_comment(blueprint);
}

ParsedCircuit read_aiger(std::string_view bytes, const std::string& source) {
  return AigerReader(bytes, source).read();
}

}  // namespace firn::exchange
