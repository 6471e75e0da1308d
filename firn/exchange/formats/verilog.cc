// Verilog-2001: one module, one wire and one assignment a gate, and registers between stages where a pipeline is
// wanted.
#include <fmt/format.h>

#include <algorithm>

#include "firn/exchange/format.h"

namespace firn {

namespace {

// Cuts the circuit into stages of about equal depth. A wire that is read in a later stage than its own travels through
// registers; outputs are read behind the last stage, so that the latency is the number of stages.
class Pipeline {
 public:
  Pipeline(const Netlist& netlist, std::size_t stages)
      : netlist_(netlist), stages_(stages), stage_(netlist.nodes(), 0), registers_(netlist.nodes(), 0) {
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

  const Netlist& netlist_;
  std::size_t stages_;
  std::vector<std::size_t> stage_, registers_;
};

class VerilogWriter {
 public:
  VerilogWriter(const Blueprint& blueprint, std::size_t stages)
      : blueprint_(blueprint), netlist_(blueprint.netlist), pipeline_(netlist_, stages) {}

  std::string write() {
    std::string text;
    for (const std::string& note : blueprint_.notes) text += "// " + note + "\n";
    const bool clocked = pipeline_.stages() > 0;
    if (clocked)
      text += fmt::format("// Registered: a result appears {} clock edges after its input.\n", pipeline_.stages());
    text += fmt::format("module {} (\n{}  input  wire [{}:0] {},\n  output wire [{}:0] {}\n);\n", blueprint_.name,
                        clocked ? "  input  wire clock,\n" : "", netlist_.inputs - 1, blueprint_.input_bus,
                        netlist_.outputs.size() - 1, blueprint_.output_bus);
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) append_gate(text, g);
    if (clocked) append_registers(text);
    for (std::size_t o = 0; o < netlist_.outputs.size(); ++o)
      text += fmt::format("  assign {} = {};\n", blueprint_.output_name(o),
                          operand(netlist_.outputs[o], pipeline_.stages()));
    return text + "endmodule\n";
  }

 private:
  std::string name(std::uint32_t node, std::size_t registers) const {
    if (registers > 0) return fmt::format("r{}_{}", node, registers);
    return netlist_.is_gate(node) ? fmt::format("n{}", node) : blueprint_.input_name(node - 1);
  }

  std::string operand(Wire wire, std::size_t stage) const {
    if (wire.is_constant()) return wire.inverted() ? "1'b1" : "1'b0";
    return (wire.inverted() ? "~" : "") + name(wire.node(), pipeline_.distance(wire, stage));
  }

  void append_gate(std::string& text, std::size_t g) const {
    const NetGate& gate = netlist_.gates[g];
    const std::uint32_t node = netlist_.gate(g).node();
    const std::size_t stage = pipeline_.stage(node);
    text += fmt::format("  wire n{} = {} {} {};\n", node, operand(gate.a, stage), gate.op == Gate::kXor ? '^' : '&',
                        operand(gate.b, stage));
  }

  void append_registers(std::string& text) const {
    std::string body;
    for (std::uint32_t node = 1; node < netlist_.nodes(); ++node)
      for (std::size_t r = 1; r <= pipeline_.registers(node); ++r) {
        text += fmt::format("  reg r{}_{};\n", node, r);
        body += fmt::format("    r{}_{} <= {};\n", node, r, name(node, r - 1));
      }
    text += "  always @(posedge clock) begin\n" + body + "  end\n";
  }

  const Blueprint& blueprint_;
  const Netlist& netlist_;
  Pipeline pipeline_;
};

}  // namespace

std::string write_verilog(const Blueprint& blueprint, const WriteOptions& options) {
  return VerilogWriter(blueprint, options.pipeline).write();
}

}  // namespace firn
