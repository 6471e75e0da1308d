// Verilog-2001: one module, one wire and one assignment a gate, and registers between stages where a pipeline is
// wanted. Every wire is a vector of LANES samples: one in hardware as a rule, many for fast simulation.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "firn/exchange/format.h"
#include "firn/exchange/identifier.h"
#include "firn/exchange/scanner.h"
#include "firn/network/boolean_network.h"

namespace firn::exchange {

namespace {

// Cuts the circuit into stages of about equal depth. A wire that is read in a later stage than its own travels through
// registers; outputs are read behind the last stage, so that the latency is the number of stages.
class Pipeline {
 public:
  Pipeline(const Netlist& netlist, std::size_t stages)
      : stages_(stages), stage_(netlist.nodes(), 0), registers_(netlist.nodes(), 0) {
    const std::vector<std::uint32_t> depths = node_depths(netlist);
    const std::size_t deepest = *std::max_element(depths.begin(), depths.end());
    for (std::size_t node = netlist.first_gate(); node < netlist.nodes(); ++node)
      stage_[node] = (depths[node] - 1) * stages / std::max<std::size_t>(1, deepest);
    for (std::size_t g = 0; g < netlist.gates.size(); ++g)
      for (Wire operand : {netlist.gates[g].a, netlist.gates[g].b}) delay(operand, stage_[netlist.first_gate() + g]);
    for (Wire output : netlist.outputs) delay(output, stages);
  }

  std::size_t stages() const { return stages_; }
  std::size_t stage(std::uint32_t node) const { return stage_[node]; }
  std::size_t registers(std::uint32_t node) const { return registers_[node]; }  // behind the node, in a chain
  // Registers between a node and who reads it in a stage.
  std::size_t distance(Wire wire, std::size_t stage) const {
    return wire.is_constant() ? 0 : stage - stage_[wire.node()];
  }

 private:
  void delay(Wire wire, std::size_t stage) {
    std::size_t& most = registers_[wire.node()];
    most = std::max(most, distance(wire, stage));
  }

  std::size_t stages_;
  std::vector<std::size_t> stage_, registers_;
};

// "x3" for inputs and "n12" for gates; "n12_2" is the same two clock edges later.
std::string name_of(const Netlist& netlist, std::uint32_t node, std::size_t registers) {
  const std::string plain = netlist.is_gate(node) ? fmt::format("n{}", node) : fmt::format("x{}", node - 1);
  return registers == 0 ? plain : fmt::format("{}_{}", plain, registers);
}

std::string module_head(std::string_view name, bool clocked, std::size_t inputs, std::size_t outputs) {
  return fmt::format(
      "module {} #(parameter LANES = 1) (\n{}  input  wire [{}*LANES-1:0] x,\n  output wire [{}*LANES-1:0] y\n);\n",
      name, clocked ? "  input  wire clock,\n" : "", inputs, outputs);
}

std::string notes_text(const Blueprint& blueprint) {
  std::string text;
  for (const std::string& note : blueprint.notes) text += "// " + note + "\n";
  return text;
}

class VerilogWriter {
 public:
  VerilogWriter(const Blueprint& blueprint, std::size_t stages)
      : blueprint_(blueprint), netlist_(blueprint.netlist), pipeline_(netlist_, stages) {}

  std::string write() {
    std::string text = notes_text(blueprint_);
    text += "// LANES circuits stand side by side: bit i of sample s is x[i * LANES + s], and likewise in y.\n";
    const bool clocked = pipeline_.stages() > 0;
    if (clocked) text += "// Registered: a result appears LATENCY clock edges after its input.\n";
    text += module_head(blueprint_.name, clocked, netlist_.inputs, netlist_.outputs.size());
    if (clocked) text += fmt::format("  localparam LATENCY = {};\n", pipeline_.stages());
    append_inputs(text);
    if (clocked) append_registers(text);
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) append_gate(text, g);
    if (clocked) append_clock(text);
    for (std::size_t o = 0; o < netlist_.outputs.size(); ++o)
      text += fmt::format("  assign y[{}*LANES +: LANES] = {};\n", o, operand(netlist_.outputs[o], pipeline_.stages()));
    return text + "endmodule\n";
  }

 private:
  std::string operand(Wire wire, std::size_t stage) const {
    if (wire.is_constant()) return wire.inverted() ? "{LANES{1'b1}}" : "{LANES{1'b0}}";
    return (wire.inverted() ? "~" : "") + name_of(netlist_, wire.node(), pipeline_.distance(wire, stage));
  }

  // Inputs that nothing reads get no wire.
  void append_inputs(std::string& text) const {
    std::vector<bool> read(netlist_.nodes());
    for (const NetGate& gate : netlist_.gates) read[gate.a.node()] = read[gate.b.node()] = true;
    for (Wire output : netlist_.outputs) read[output.node()] = true;
    for (std::size_t i = 0; i < netlist_.inputs; ++i)
      if (read[1 + i]) text += fmt::format("  wire [LANES-1:0] x{0} = x[{0}*LANES +: LANES];\n", i);
  }

  // Declared before the gates that read them; each takes over the one before it at the clock edge.
  void append_registers(std::string& text) const {
    for (std::uint32_t node = 1; node < netlist_.nodes(); ++node)
      for (std::size_t r = 1; r <= pipeline_.registers(node); ++r)
        text += fmt::format("  reg [LANES-1:0] {};\n", name_of(netlist_, node, r));
  }

  void append_clock(std::string& text) const {
    text += "  always @(posedge clock) begin\n";
    for (std::uint32_t node = 1; node < netlist_.nodes(); ++node)
      for (std::size_t r = 1; r <= pipeline_.registers(node); ++r)
        text += fmt::format("    {} <= {};\n", name_of(netlist_, node, r), name_of(netlist_, node, r - 1));
    text += "  end\n";
  }

  void append_gate(std::string& text, std::size_t g) const {
    const NetGate& gate = netlist_.gates[g];
    const std::uint32_t node = netlist_.gate(g).node();
    const std::size_t stage = pipeline_.stage(node);
    text += fmt::format("  wire [LANES-1:0] n{} = {} {} {};\n", node, operand(gate.a, stage),
                        gate.op == Gate::kXor ? '^' : '&', operand(gate.b, stage));
  }

  const Blueprint& blueprint_;
  const Netlist& netlist_;
  Pipeline pipeline_;
};

// Modules in modules are for synthesis and have no lanes: yosys took gigabytes for ports whose width is a parameter.
std::string plain_head(std::string_view name, std::size_t inputs, std::size_t outputs) {
  return fmt::format("module {} (\n  input  wire [{}:0] x,\n  output wire [{}:0] y\n);\n", name, inputs - 1,
                     outputs - 1);
}

std::string plain_module(const std::string& name, const Netlist& netlist) {
  const auto operand = [&](Wire wire) {
    if (wire.is_constant()) return std::string(wire.inverted() ? "1'b1" : "1'b0");
    const std::string node =
        netlist.is_gate(wire.node()) ? fmt::format("n{}", wire.node()) : fmt::format("x[{}]", wire.node() - 1);
    return (wire.inverted() ? "~" : "") + node;
  };
  std::string text = plain_head(name, netlist.inputs, netlist.outputs.size());
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    text += fmt::format("  wire n{} = {} {} {};\n", netlist.gate(g).node(), operand(gate.a),
                        gate.op == Gate::kXor ? '^' : '&', operand(gate.b));
  }
  for (std::size_t o = 0; o < netlist.outputs.size(); ++o)
    text += fmt::format("  assign y[{}] = {};\n", o, operand(netlist.outputs[o]));
  return text + "endmodule\n\n";
}

// Where the outputs of an instance are: several bits have a bus of their own, a single bit is a wire.
std::string signal_text(const Hierarchy& hierarchy, const Hierarchy::Signal& signal) {
  if (signal.from == Hierarchy::Signal::kFalse) return "1'b0";
  if (signal.from == Hierarchy::Signal::kInput) return fmt::format("x[{}]", signal.bit);
  const std::size_t module = hierarchy.instances[signal.from].module;
  if (hierarchy.modules[module].netlist.outputs.size() == 1) return fmt::format("i{}", signal.from);
  return fmt::format("i{}[{}]", signal.from, signal.bit);
}

// An instance and the wires that it drives. In a concatenation the first bit comes last.
std::string instance_text(const Hierarchy& hierarchy, std::size_t index, const std::string& module) {
  const Hierarchy::Instance& instance = hierarchy.instances[index];
  const std::size_t outputs = hierarchy.modules[instance.module].netlist.outputs.size();
  std::string inputs;
  for (std::size_t i = instance.inputs.size(); i-- > 0;)
    inputs += (inputs.empty() ? "" : ",") + signal_text(hierarchy, instance.inputs[i]);
  return fmt::format("  wire {0}i{1};\n  {2} u{1} (.x({{{3}}}), .y(i{1}));\n",
                     outputs == 1 ? "" : fmt::format("[{}:0] ", outputs - 1), index, module, inputs);
}

// Registers are read as what they are for: the same value later. Every wire is so many clock edges behind the inputs,
// the same number whatever path is taken, and all outputs are equally late; a module of which that is not true is
// refused, because its outputs would mix samples.
class VerilogReader {
 public:
  VerilogReader(std::string_view text, const std::string& source)
      : scan_(text, source, "the Verilog that Firn writes"), source_(source) {}

  ParsedCircuit read() {
    while (scan_.sees("//")) scan_.skip_comment_line("//");
    read_head();
    while (scan_.accept("  wire [LANES-1:0] x")) read_input();
    while (clocked_ && scan_.accept("  reg [LANES-1:0] ")) read_register();
    while (scan_.accept("  wire [LANES-1:0] n")) read_gate();
    if (clocked_) read_clock();
    for (std::size_t o = 0; o < outputs_; ++o) read_output(o);
    scan_.expect("endmodule\n");
    scan_.expect_end();
    check_netlist(netlist_, source_);
    return {std::move(netlist_), {}, {}};
  }

 private:
  struct Operand {
    Wire wire;
    std::size_t edges;  // behind the inputs; kAnyTime for constants
  };
  static constexpr std::size_t kAnyTime = ~std::size_t{0};
  static constexpr std::size_t kMostRegisters = 1 << 20;  // in a chain

  void read_head() {
    scan_.expect("module ");
    scan_.name();
    scan_.expect(" #(parameter LANES = 1) (\n");
    clocked_ = scan_.accept("  input  wire clock,\n");
    scan_.expect("  input  wire [");
    inputs_ = scan_.number(most_inputs(scan_.remaining()) + 1);
    scan_.expect("*LANES-1:0] x,\n  output wire [");
    outputs_ = scan_.number(scan_.remaining());  // each of them takes a line
    scan_.expect("*LANES-1:0] y\n);\n");
    if (inputs_ == 0 || outputs_ == 0) scan_.fail("a port has no bits");
    if (clocked_) {
      scan_.expect("  localparam LATENCY = ");
      latency_ = scan_.number(kMostRegisters);
      scan_.expect(";\n");
    }
    netlist_.inputs = inputs_;
    has_wire_.resize(inputs_);
  }

  void read_input() {
    const std::uint32_t i = scan_.number(inputs_);
    if (i < next_input_) scan_.fail(fmt::format("the input {} is duplicated or too late", i));
    next_input_ = i + 1;
    scan_.expect(fmt::format(" = x[{}*LANES +: LANES];\n", i));
    has_wire_[i] = true;
  }

  bool exists(std::uint32_t node) const {
    return netlist_.is_gate(node) ? node < netlist_.nodes() : node > 0 && has_wire_[node - 1];
  }
  std::size_t edges_before(std::uint32_t node) const {
    return netlist_.is_gate(node) ? edges_[node - netlist_.first_gate()] : 0;
  }

  // The node whose name stands here; it may not be there yet.
  std::uint32_t node() {
    if (scan_.accept("x")) return 1 + scan_.number(inputs_);
    scan_.expect("n");
    const std::uint32_t node = scan_.number(kMaxNodes);
    if (!netlist_.is_gate(node)) scan_.fail(fmt::format("there is no n{}", node));
    return node;
  }

  void read_register() {
    const std::uint32_t of = node();
    scan_.expect("_");
    // A chain is declared from its first register on, and no register twice.
    const std::size_t position = scan_.number(kMostRegisters);
    if (position != ++registers_[of]) scan_.fail("a register is missing or duplicated");
    scan_.expect(";\n");
  }

  Operand operand() {
    if (scan_.accept("{LANES{1'b0}}")) return {kFalse, kAnyTime};
    if (scan_.accept("{LANES{1'b1}}")) return {kTrue, kAnyTime};
    const bool inverted = scan_.accept("~");
    const std::uint32_t of = node();
    if (!exists(of)) scan_.fail("a wire is read before it is there");
    if (!scan_.accept("_")) return {Wire(of, inverted), edges_before(of)};
    const std::size_t position = scan_.number(kMostRegisters);
    const auto found = registers_.find(of);
    if (position == 0 || found == registers_.end() || position > found->second) scan_.fail("a register is missing");
    return {Wire(of, inverted), edges_before(of) + position};
  }

  // Both must be of the same sample.
  std::size_t meeting(std::size_t a, std::size_t b) const {
    if (a != kAnyTime && b != kAnyTime && a != b) scan_.fail("wires of different clock edges meet");
    return std::min(a, b);
  }

  void read_gate() {
    if (scan_.number(kMaxNodes) != netlist_.nodes()) scan_.fail("the wires are not numbered one after the other");
    scan_.expect(" = ");
    const Operand a = operand();
    const bool is_xor = scan_.accept(" ^ ");
    if (!is_xor) scan_.expect(" & ");
    const Operand b = operand();
    scan_.expect(";\n");
    const std::size_t edges = meeting(a.edges, b.edges);
    edges_.push_back(edges == kAnyTime ? 0 : edges);  // constants may be read at any time, at once for example
    netlist_.gates.push_back({a.wire, b.wire, is_xor ? Gate::kXor : Gate::kAnd, 0});
  }

  void read_clock() {
    scan_.expect("  always @(posedge clock) begin\n");
    for (const auto& [of, length] : registers_) {
      if (!exists(of)) scan_.fail("a register takes over a wire that is not there");
      for (std::size_t r = 1; r <= length; ++r)
        scan_.expect(fmt::format("    {} <= {};\n", name_of(netlist_, of, r), name_of(netlist_, of, r - 1)));
    }
    scan_.expect("  end\n");
  }

  void read_output(std::size_t o) {
    scan_.expect(fmt::format("  assign y[{}*LANES +: LANES] = ", o));
    const Operand value = operand();
    scan_.expect(";\n");
    meeting(latency_, value.edges);
    netlist_.outputs.push_back(value.wire);
  }

  Scanner scan_;
  const std::string& source_;
  bool clocked_ = false;
  std::size_t inputs_ = 0, outputs_ = 0;
  std::size_t latency_ = 0;                         // of the outputs
  std::uint32_t next_input_ = 0;                    // that may get a wire
  std::vector<bool> has_wire_;                      // of the inputs
  std::vector<std::size_t> edges_;                  // before each gate
  std::map<std::uint32_t, std::size_t> registers_;  // node -> length of its chain; by node, as they are clocked
  Netlist netlist_;
};

}  // namespace

std::string write_verilog(const Blueprint& blueprint, const WriteOptions& options) {
  return VerilogWriter(blueprint, options.pipeline).write();
}

std::string write_verilog_hierarchy(const Blueprint& blueprint, const Hierarchy& hierarchy) {
  std::string text = notes_text(blueprint);
  std::vector<std::string> names;
  for (const Hierarchy::Module& module : hierarchy.modules) {
    names.push_back(identifier(fmt::format("{}_{}", blueprint.name, module.name)));
    text += plain_module(names.back(), module.netlist);
  }
  text += plain_head(blueprint.name, hierarchy.inputs, hierarchy.outputs.size());
  for (std::size_t i = 0; i < hierarchy.instances.size(); ++i)
    text += instance_text(hierarchy, i, names[hierarchy.instances[i].module]);
  for (std::size_t o = 0; o < hierarchy.outputs.size(); ++o)
    text += fmt::format("  assign y[{}] = {};\n", o, signal_text(hierarchy, hierarchy.outputs[o]));
  return text + "endmodule\n";
}

ParsedCircuit read_verilog(std::string_view text, const std::string& source) {
  return VerilogReader(text, source).read();
}

}  // namespace firn::exchange
