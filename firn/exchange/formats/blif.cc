// BLIF, the Berkeley Logic Interchange Format, which ABC, SIS, VTR and yosys read and write.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "firn/base/error.h"
#include "firn/exchange/format.h"
#include "firn/exchange/scanner.h"
#include "firn/exchange/topological.h"
#include "firn/network/boolean_network.h"

namespace firn::exchange {

namespace {

constexpr std::size_t kLineWidth = 100;

// ".inputs a b c ...", broken into lines that people and tools can read.
void append_list(std::string& text, const char* keyword, std::size_t count, const auto& name_of) {
  std::string line = keyword;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = name_of(i);
    if (line.size() + name.size() + 3 > kLineWidth) {
      text += line + " \\\n";
      line = " ";
    }
    line += " " + name;
  }
  text += line + "\n";
}

// A logical line: comments gone, continuations joined, cut into words. What tools read in different ways is refused:
// comments that share or continue a line, continuations within a word, and control characters.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  bool next(std::vector<std::string_view>& words) {
    words.clear();
    bool continues = false;
    while (!rest_.empty()) {
      std::string_view line = physical_line();
      const bool continued = std::exchange(continues, line.ends_with('\\'));
      if (continued && line.empty()) fail("a line is continued by an empty one");
      if (line.find('#') != line.npos && (continued || continues || line.front() != '#'))
        fail("a comment must have lines of its own, which are not continued");
      if (line.starts_with('#')) continue;
      if (continues) line.remove_suffix(1);
      if (continues && !line.empty() && !is_space(line.back())) fail("there must be a space before a backslash");
      split(line, words);
      if (!continues && !words.empty()) return true;
    }
    if (continues) fail("it ends within a line that is continued");
    return false;
  }

  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(fmt::format("{}:{}: {}", source_, number_, sentence));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t'; }
  static bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; }

  // Without the spaces at its end.
  std::string_view physical_line() {
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::ranges::any_of(line, is_control)) fail("a control character does not belong here");
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    return line;
  }

  static void split(std::string_view line, std::vector<std::string_view>& words) {
    std::size_t at = 0;
    while (at < line.size()) {
      while (at < line.size() && is_space(line[at])) ++at;
      std::size_t end = at;
      while (end < line.size() && !is_space(line[end])) ++end;
      if (end > at) words.push_back(line.substr(at, end - at));
      at = end;
    }
  }

  std::string_view rest_;
  const std::string& source_;
  std::size_t number_ = 0;
};

// Signals become nodes: inputs first, then one placeholder gate (a pass-through) for each signal that .names defines,
// and behind them the gates of its cover. Sorting brings them into order afterwards.
class BlifReader {
 public:
  BlifReader(std::string_view text, const std::string& source) : lines_(text, source), source_(source) {}

  ParsedCircuit read() {
    collect();
    Netlist& netlist = circuit_.netlist;
    netlist.inputs = circuit_.inputs.size();
    for (std::size_t i = 0; i < circuit_.inputs.size(); ++i) define(circuit_.inputs[i], netlist.input(i));
    for (const Cover& cover : covers_) {
      netlist.gates.push_back({});
      define(cover.signals.back(), netlist.gate(netlist.gates.size() - 1));
    }
    for (std::size_t c = 0; c < covers_.size(); ++c) {
      const Wire value = build(covers_[c]);
      netlist.gates[c] = {value, value, Gate::kAnd, 0};
    }
    for (const std::string& output : circuit_.outputs) netlist.outputs.push_back(find(output));
    sort_topologically(netlist, source_);
    check_netlist(netlist, source_);
    return std::move(circuit_);
  }

 private:
  struct Cover {
    std::vector<std::string_view> signals;  // inputs, then the output
    std::vector<std::string_view> cubes;    // as many characters as there are inputs
    bool complemented = false;              // the cubes say where the output is false
  };

  void collect() {
    std::vector<std::string_view> words;
    Cover* open = nullptr;
    while (lines_.next(words)) {
      const std::string_view keyword = words[0];
      if (!keyword.starts_with('.')) {
        if (open == nullptr) lines_.fail("a line of a cover stands outside of .names");
        add_row(*open, words);
        continue;
      }
      if (keyword == ".end") {
        if (lines_.next(words)) lines_.fail("only one model can be read, and nothing behind its .end");
        return;
      }
      open = take_command(words) ? &covers_.back() : nullptr;
    }
    lines_.fail("there is no .end; the file is cut off");
  }

  // Whether rows of a cover may follow.
  bool take_command(const std::vector<std::string_view>& words) {
    const std::string_view keyword = words[0];
    if (keyword == ".names") {
      if (words.size() < 2) lines_.fail(".names has no signal");
      covers_.push_back({{words.begin() + 1, words.end()}, {}, false});
      return true;
    }
    if (keyword == ".model") {
      if (has_model_ || !covers_.empty())
        lines_.fail("only one model can be read, which its .model begins; flatten the design first");
      has_model_ = true;
    } else if (keyword == ".inputs" || keyword == ".outputs") {
      auto& names = keyword == ".inputs" ? circuit_.inputs : circuit_.outputs;
      names.insert(names.end(), words.begin() + 1, words.end());
    } else if (keyword != ".default_input_arrival" && keyword != ".area" && keyword != ".delay") {  // costs
      lines_.fail(
          fmt::format("{} is not supported: only combinational circuits of .names can be read", glimpse(keyword)));
    }
    return false;
  }

  void add_row(Cover& cover, const std::vector<std::string_view>& words) const {
    const std::size_t inputs = cover.signals.size() - 1;
    const std::string_view cube = inputs == 0 ? std::string_view() : words[0], value = words.back();
    if (words.size() != (inputs == 0 ? 1u : 2u) || cube.size() != inputs || (value != "0" && value != "1") ||
        cube.find_first_not_of("01-") != std::string_view::npos)
      lines_.fail(fmt::format("this is no row of a cover of {} inputs", inputs));
    const bool complemented = value == "0";
    if (!cover.cubes.empty() && cover.complemented != complemented)
      lines_.fail("a cover may list where its output is true or where it is false, but not both");
    cover.complemented = complemented;
    cover.cubes.push_back(cube);
  }

  void define(std::string_view name, Wire wire) {
    if (!wires_.emplace(name, wire).second)
      throw Error(fmt::format("{}: the signal \"{}\" is defined twice", source_, glimpse(name)));
  }

  Wire find(std::string_view name) const {
    const auto found = wires_.find(name);
    if (found == wires_.end())
      throw Error(fmt::format("{}: the signal \"{}\" is never defined", source_, glimpse(name)));
    return found->second;
  }

  Wire add(Wire a, Wire b, Gate op) {
    if (circuit_.netlist.nodes() + 1 >= kMaxNodes) throw Error(fmt::format("{}: too many gates", source_));
    circuit_.netlist.gates.push_back({a, b, op, 0});
    return circuit_.netlist.gate(circuit_.netlist.gates.size() - 1);
  }

  Wire build(const Cover& cover) {
    std::vector<Wire> inputs;  // looked up once, however many rows there are: names may be long
    for (std::size_t i = 0; i + 1 < cover.signals.size(); ++i) inputs.push_back(find(cover.signals[i]));
    if (inputs.size() == 2 && cover.cubes.size() == 2 && !cover.complemented) {
      const auto [a, b] = std::pair(cover.cubes[0], cover.cubes[1]);
      if ((a == "01" && b == "10") || (a == "10" && b == "01")) return add(inputs[0], inputs[1], Gate::kXor);
    }
    Wire any = kFalse;
    for (std::size_t c = 0; c < cover.cubes.size(); ++c) {
      Wire all = kTrue;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const char literal = cover.cubes[c][i];
        if (literal == '-') continue;
        const Wire wire = inputs[i] ^ (literal == '0');
        all = all == kTrue ? wire : add(all, wire, Gate::kAnd);
      }
      any = c == 0 ? all : add(any, all, Gate::kOr);
    }
    return any ^ cover.complemented;
  }

  LineReader lines_;
  const std::string& source_;
  bool has_model_ = false;
  std::vector<Cover> covers_;
  ParsedCircuit circuit_;
  std::unordered_map<std::string_view, Wire> wires_;  // by names in the text and in the circuit
};

}  // namespace

std::string write_blif(const Blueprint& blueprint, const WriteOptions&) {
  const Netlist& netlist = blueprint.netlist;
  std::string text;
  for (const std::string& note : blueprint.notes) text += "# " + note + "\n";
  text += fmt::format(".model {}\n", blueprint.name);
  append_list(text, ".inputs", netlist.inputs, [&](std::size_t i) { return input_name(i); });
  append_list(text, ".outputs", netlist.outputs.size(), [&](std::size_t o) { return output_name(o); });
  const auto name = [&](Wire wire) {
    return netlist.is_gate(wire.node()) ? fmt::format("n{}", wire.node()) : input_name(wire.node() - 1);
  };
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    text += fmt::format(".names {} {} {}\n", name(gate.a), name(gate.b), name(netlist.gate(g)));
    if (gate.op == Gate::kXor)
      text += "01 1\n10 1\n";
    else
      text += fmt::format("{}{} 1\n", gate.a.inverted() ? 0 : 1, gate.b.inverted() ? 0 : 1);
  }
  for (std::size_t o = 0; o < netlist.outputs.size(); ++o) {
    const Wire output = netlist.outputs[o];
    if (output.is_constant())
      text += fmt::format(".names {}\n{}", output_name(o), output.inverted() ? "1\n" : "");
    else
      text += fmt::format(".names {} {}\n{} 1\n", name(output), output_name(o), output.inverted() ? 0 : 1);
  }
  return text + ".end\n";
}

ParsedCircuit read_blif(std::string_view text, const std::string& source) {
  return BlifReader(text, source).read();
}

}  // namespace firn::exchange
