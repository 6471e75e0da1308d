#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <ostream>
#include <tuple>

#include "firn/circuit/builder.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "firn/prove/equivalence.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

// 2 to 8 inputs, up to 65 gates that are all needed, and outputs that are gates, inputs or constants.
Blueprint random_blueprint(std::uint64_t seed) {
  RandomSequence random(seed, "test/blueprint");
  const std::size_t inputs = 2 + seed % 7, tries = 5 + seed % 61;
  NetBuilder builder(inputs);
  std::vector<Wire> wires = {kTrue};
  for (std::size_t i = 0; i < inputs; ++i) wires.push_back(builder.input(i));
  const auto recent = [&] {
    const auto window = static_cast<std::uint32_t>(std::min(wires.size(), 2 * inputs));
    return wires[wires.size() - 1 - random.below(window)] ^ (random.below(2) != 0);
  };
  for (std::size_t g = 0; g < tries; ++g) {
    const Wire a = recent(), b = recent();
    wires.push_back(random.below(3) == 0 ? builder.make_xor(a, b) : builder.make_and(a, b));
  }
  std::vector<Wire> outputs;
  for (std::size_t o = 0; o <= seed % 5; ++o) outputs.push_back(recent());
  if (seed % 3 == 0) outputs.insert(outputs.end(), {kTrue, builder.input(0), !wires.back()});
  Blueprint blueprint{"net", std::move(builder).take(std::move(outputs)), {"a note", "another"}};
  simplify(blueprint.netlist);
  return blueprint;
}

// Every assignment of the inputs, [inputs][words].
Matrix<std::uint64_t> all_assignments(std::size_t inputs) {
  Matrix<std::uint64_t> rows(inputs, inputs > 6 ? std::size_t{1} << (inputs - 6) : 1);
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t s = 0; s < 64 * rows.cols(); ++s) rows[i][s / 64] |= std::uint64_t{s >> i & 1} << s % 64;
  return rows;
}

// Every way in which a file can be written.
struct Way {
  const char* format;
  WriteOptions options;

  std::string write(const Blueprint& blueprint) const { return find_format(format).write(blueprint, options); }
  Netlist read(const std::string& text, const Netlist& original) const {
    const ParsedCircuit parsed = find_format(format).read(text, "file");
    return in_bus_order(parsed, original.inputs, original.outputs.size(), "file");
  }
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.format << (way.options.unrolled ? " unrolled " : " ") << way.options.pipeline << " stages";
}

const Way kWays[] = {
    {"c", {}},  {"c", {.unrolled = true}}, {"verilog", {}}, {"verilog", {.pipeline = 3}}, {"blif", {}}, {"aiger", {}},
    {"aag", {}}};

TEST(FormatsTest, AFullAdderIsSevenGatesOfAiger) {
  for (const bool inverted : {false, true}) {  // whatever inverters stand before it
    NetBuilder builder(3);
    const Word sum = count_ones(builder, std::vector{builder.input(0), builder.input(1) ^ inverted, builder.input(2)});
    EXPECT_EQ(builder.gates(), 5u);
    const Blueprint blueprint{"net", std::move(builder).take(sum)};
    EXPECT_THAT(find_format("aag").write(blueprint, {}), HasSubstr("aag 10 3 0 2 7\n"));
  }
}

TEST(FormatsTest, WhatIsWrittenIsReadBackAsTheSameFunction) {
  for (const Way& way : kWays)
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const Blueprint blueprint = random_blueprint(seed);
      Netlist back = way.read(way.write(blueprint), blueprint.netlist);
      const auto in = random_words(blueprint.netlist.inputs, 1, seed);
      ASSERT_TRUE(same_rows(simulate(back, in), simulate(blueprint.netlist, in))) << way << " " << seed;
      ASSERT_TRUE(check_equivalence(back, blueprint.netlist).proved()) << way << " " << seed;
      simplify(back);
      recover_xors(back);
      simplify(back);
      ASSERT_LE(back.gates.size(), blueprint.netlist.gates.size()) << way << " loses its XORs, seed " << seed;
    }
}

// Every gate of a simplified circuit, one after the other, computes something else.
TEST(FormatsTest, NoMutantOfAnExportedFileSurvives) {
  for (const Way& way : kWays) {
    std::size_t mutants = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Blueprint blueprint = random_blueprint(seed);
      const Netlist& original = blueprint.netlist;
      const auto all = all_assignments(original.inputs);
      for (std::size_t g = 0; g < original.gates.size(); ++g) {
        Blueprint mutant = blueprint;
        NetGate& gate = mutant.netlist.gates[g];
        gate = gate.op == Gate::kXor ? NetGate{gate.a, gate.b, Gate::kAnd, 0} : NetGate{!gate.a, gate.b, Gate::kAnd, 0};
        const bool matters = !same_rows(simulate(mutant.netlist, all), simulate(original, all));
        const Equivalence result = check_equivalence(original, way.read(way.write(mutant), original), {.patterns = 1});
        ASSERT_EQ(result.difference.has_value(), matters) << way << " seed " << seed << " gate " << g;
        ASSERT_EQ(result.proved(), !matters);
        mutants += matters;
      }
    }
    EXPECT_GT(mutants, 300u) << way;
  }
}

// Another letter, and one that has a chance to be read: a digit for a digit, an operator for an operator.
char another_letter(char letter, RandomSequence& random) {
  for (const std::string_view kind :
       {std::string_view("0123456789"), std::string_view("&^"), std::string_view("nx"), std::string_view("~ ;,_\n")})
    if (const std::size_t at = kind.find(letter); at != kind.npos)
      return kind[(at + 1 + random.below(static_cast<std::uint32_t>(kind.size() - 1))) % kind.size()];
  return letter == 'y' ? 'x' : 'y';
}

// C and Verilog are read strictly: behind the notes and the name there is no letter that does not matter.
TEST(FormatsTest, EveryLetterOfCAndVerilogMatters) {
  for (const Way& way : kWays) {
    if (find_format(way.format).read != read_c && find_format(way.format).read != read_verilog) continue;
    std::size_t refused = 0, changed = 0;
    for (std::uint64_t seed = 31; seed <= 42; ++seed) {
      const Blueprint blueprint = random_blueprint(seed);
      const std::string text = way.write(blueprint);
      const Netlist original = way.read(text, blueprint.netlist);
      if (original.gates.empty()) continue;  // constants come at any clock edge, whatever LATENCY says
      RandomSequence random(seed, "test/letters");
      const std::size_t body = text.find(way.format[0] == 'c' ? "#include" : "#(parameter");
      for (std::size_t at = body; at < text.size(); ++at) {
        std::string mutant = text;
        mutant[at] = another_letter(text[at], random);
        Netlist read;
        const std::string error = error_or_none([&] { read = way.read(mutant, blueprint.netlist); });
        ASSERT_TRUE(error != kNoError || read != original) << way << " seed " << seed << " ignores letter " << at;
        ++(error == kNoError ? changed : refused);
      }
    }
    EXPECT_GT(refused, 1000u) << way;
    EXPECT_GT(changed, 100u) << way;
  }
}

TEST(AigerTest, AsciiGatesMayComeInAnyOrder) {
  const ParsedCircuit circuit = read_aiger("aag 4 2 0 1 2\n2\n4\n8\n8 6 3\n6 2 4\ni1 b\ni0 a\nc\nany text", "f.aag");
  ASSERT_EQ(circuit.netlist.gates.size(), 2u);
  EXPECT_EQ(circuit.inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(circuit.outputs.empty());
}

TEST(AigerTest, ACommentMayBeginOnTheLineThatAnnouncesIt) {
  const ParsedCircuit circuit = read_aiger("aag 1 1 0 1 0\n2\n3\ncn4 name\n", "f");
  EXPECT_EQ(circuit.netlist.outputs.size(), 1u);
}

TEST(AigerTest, DamageGetsASentence) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "ends before the header"},
      {"hello world\n", "no AIGER file"},
      {"aag 1 1\n", "M I L O A"},
      {"aag x 1 0 0 0\n", "\"x\" is not a number"},
      {"aag 1 0 1 0 0\n2 3\n", "1 latches"},
      {"aag 99 1 0 9999 0\n2\n", "promises more"},
      {"aag 1 2 0 0 0\n2\n4\n", "do not add up"},
      {"aag 2 1 0 1 1\n2\n4\n4 4 2\n", "cyclic"},
      {"aag 2 1 0 1 1\n2\n4\n4 9 2\n", "used but not defined"},
      {"aag 2 1 0 1 1\n2\n4\n2 2 2\n", "cannot be defined"},
      {"aag 1 1 0 0 0\n2\ni9 x\n", "symbol table"},
      {"aag 2 2 0 0 0\n2\n4\ni1 x\n", "1 of 2 inputs have names"},
      {"aig 2 1 0 1 1\n4\n", "ends within the AND gates"},
      {"aig 2 1 0 1 1\n4\n\x09\x01", "reads a later gate"},
      {"aig 2 1 0 1 1\n9\n\x02\x01", "larger than the header allows"},
      {"aag 1 1 0 0 0 1\n2\n", "properties"},
      {"aig 67108864 67108864 0 1 0\n2\n", "promises more"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_THAT(error_of([text = text] { read_aiger(text, "f"); }), HasSubstr(part)) << text;
}

TEST(BlifTest, CoversOfAnyWidthAreRead) {
  const ParsedCircuit circuit = read_blif(
      "# comment\n.model m\n.inputs a b \\\n c\n.outputs y z one zero\n.names a b c y\n11- 1\n--1 1\n"
      ".names a b z\n11 0\n.names one\n1\n.names zero\n.end\n",
      "f.blif");
  EXPECT_EQ(circuit.inputs, (std::vector<std::string>{"a", "b", "c"}));
  Matrix<std::uint64_t> in(3, 1);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::uint64_t s = 0; s < 8; ++s) in[i][0] |= (s >> i & 1) << s;
  const auto out = simulate(circuit.netlist, in);
  EXPECT_EQ(out[0][0] & 0xff, 0b11111000u);  // (a and b) or c
  EXPECT_EQ(out[1][0] & 0xff, 0b01110111u);  // not (a and b)
  EXPECT_EQ(out[2][0] & 0xff, 0xffu);
  EXPECT_EQ(out[3][0] & 0xff, 0u);
}

TEST(BlifTest, DamageGetsASentence) {
  const std::pair<const char*, const char*> cases[] = {
      {".model m\n.latch a b\n", "f:2: .latch is not supported"},
      {".model m\n.subckt x\n", ".subckt is not supported"},
      {"11 1\n", "outside of .names"},
      {".inputs a\n.outputs a\n", "f:2: there is no .end; the file is cut off"},
      {".inputs a \\\n", "f:1: it ends within a line"},
      {".end\n# fine\n\n.names y\n", "f:4: only one model can be read, and nothing behind its .end"},
      {".end\n.model b\n.end\n", "only one model"},
      {".names a\n.model a\n.end\n", "only one model"},
      {".names a b\n111 1\n", "no row of a cover of 1 inputs"},
      {".names a b\n1 1\n0 0\n", "not both"},
      {".names\n", "no signal"},
      {".outputs y\n.end\n", "\"y\" is never defined"},
      {".inputs a\n.outputs y\n.names b y\n1 1\n.end\n", "\"b\" is never defined"},
      {".inputs a\n.names a\n1\n.end\n", "defined twice"},
      {".names a\n1\n.names a\n.end\n", "defined twice"},
      {".outputs y\n.names z y\n1 1\n.names y z\n1 1\n.end\n", "cyclic"},
      {".model a\n.model b\n", "only one model"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_THAT(error_of([text = text] { read_blif(text, "f"); }), HasSubstr(part)) << text;
}

// yosys takes the rest of such lines for names, or continues what ABC ends.
TEST(BlifTest, WhatToolsReadInDifferentWaysIsRefused) {
  const std::string head = ".model m\n.inputs a b\n.outputs y\n", tail = "11 1\n.end\n";
  const std::pair<const char*, const char*> cases[] = {
      {".names a b y # z\n", "a comment must have lines of its own"},
      {"  # z\n.names a b y\n", "a comment must have lines of its own"},
      {"# z \\\n.names a b y\n", "a comment must have lines of its own"},
      {".names a \\\n# z\n", "a comment must have lines of its own"},
      {".names a\\\nb y\n", "a space before a backslash"},
      {".names a b y \\\n\n", "continued by an empty one"},
      {".names a b y\r11 1\r\n", "a control character"},
      {".names a b\vy\n", "a control character"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_THAT(error_of([&, text = text] { read_blif(head + text + tail, "f"); }), HasSubstr(part)) << text;
  for (const char* text : {".names a \\\nb y\n", ".names a \\ \n \\\n\tb y\n", "# z\r\n\r\n.names a b y\r\n"})
    EXPECT_EQ(read_blif(head + text + tail, "f").netlist, read_blif(head + ".names a b y\n" + tail, "f").netlist);
}

TEST(BlifTest, AFileThatIsCutOffIsRefused) {
  const std::string text = write_blif(random_blueprint(5), {});
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_NE(error_of([&] { read_blif(text.substr(0, length), "f"); }), "") << length;
}

TEST(BlifTest, ALongNameIsLookedUpOncePerCover) {
  const std::string name(500'000, 'a');
  std::string text = ".inputs " + name + "\n.outputs y\n.names " + name + " y\n";
  for (int row = 0; row < 125'000; ++row) text += "1 1\n";
  const std::clock_t before = std::clock();
  EXPECT_EQ(read_blif(text + ".end\n", "f").netlist.inputs, 1u);
  EXPECT_LT(std::clock() - before, 1 * CLOCKS_PER_SEC);
}

// The text with the first `old` replaced.
std::string changed(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), now);
}

// y[0] = x[0] and not x[1]; y[1] = not x[1]
Blueprint two_outputs() {
  Blueprint blueprint;
  blueprint.name = "net";
  blueprint.netlist = {2, {{Wire(1, false), Wire(2, true), Gate::kAnd, 0}}, {Wire(3, false), Wire(2, true)}};
  return blueprint;
}

TEST(VerilogTest, WhatFirnDoesNotWriteGetsASentence) {
  const std::string flat = write_verilog(two_outputs(), {}), staged = write_verilog(two_outputs(), {.pipeline = 2});
  const std::tuple<std::string, const char*, const char*, const char*> cases[] = {
      {flat, "endmodule\n", "", "f:11: it ends too early; only the Verilog that Firn writes"},
      {flat, "LANES = 1", "LANES = 2", "f:2: \" #(parameter LANES = 2) (\" does not belong here"},
      {flat, "n3 = x0", "n3 = x2", "\"2 & ~x1;\" does not belong"},
      {flat, "n3 = x0", "n3 = n3", "read before it is there"},
      {flat, "n3 = x0", "n3 = x0_1", "a register is missing"},
      {flat, "n3 = x0", "n3 = n1", "there is no n1"},
      {flat, "y[0*LANES +: LANES] = n3", "y[0*LANES +: LANES] = n3_0", "a register is missing"},
      {flat, "module net", "module wire", "\"wire\" is reserved"},
      {flat, "[2*LANES-1:0] x", "[0*LANES-1:0] x", "a port has no bits"},
      {flat, "[2*LANES-1:0] x", "[262145*LANES-1:0] x", "does not belong here"},
      {flat, "module", "// a\r`define x0 x1\nmodule", "f:2: other tools may see another end"},
      {flat, "module", "`define x0 x1\nmodule", "does not belong here"},
      {flat, "endmodule\n", "endmodule\nmodule m;\n", "does not belong here"},
      {staged, "reg [LANES-1:0] x1_1", "reg [LANES-1:0] n2_1", "there is no n2"},
      {flat, "wire [LANES-1:0] n3", "wire [LANES-1:0] n4", "one after the other"},
      {flat, "x1 = x[1*", "x0 = x[0*", "the input 0 is duplicated"},
      {staged, "x0 & ~x1", "x0 & ~x1_1", "different clock edges"},
      {staged, "= n3_2", "= n3_1", "different clock edges"},
      {staged, "LATENCY = 2", "LATENCY = 3", "different clock edges"},
      {staged, "reg [LANES-1:0] n3_1;\n  ", "", "missing or duplicated"},
      {staged, "n3_2 <= n3_1", "n3_2 <= n3", "\"    n3_2 <= n3;\" does not belong"},
  };
  for (const auto& [text, old, now, part] : cases)
    EXPECT_THAT(error_of([damaged = changed(text, old, now)] { read_verilog(damaged, "f"); }), HasSubstr(part))
        << old << now;
  EXPECT_THAT(error_of([&] { read_verilog("module m(input a, output y);\n", "f"); }), HasSubstr("AIGER and BLIF"));
}

TEST(CTest, WhatFirnDoesNotWriteGetsASentence) {
  const std::string table = write_c(two_outputs(), {}), unrolled = write_c(two_outputs(), {.unrolled = true});
  const std::tuple<std::string, const char*, const char*, const char*> cases[] = {
      {table, "NET_WORK 4", "NET_WORK 3", "NET_WORK should be 4"},
      {table, "void net(", "void nut(", "the names do not agree"},
      {table, "\n  1,2,\n", "\n  1,3,\n", "a row that comes later"},
      {table, "\n  1,2,\n", "\n  1,02,\n", "\"02,\" does not belong here"},
      {table, "\n  1,2,\n", "\n  1,2,1,\n", "a wrong length"},
      {table, "\n  1,1,\n", "\n  4,1,\n", "a run is damaged"},
      {table, "\n  1,1,\n", "\n  1,2,\n", "a run is damaged"},
      {table, "\n  6,5,\n", "\n  6,\n", "the table of outputs should have 2"},
      {table, "\n  6,5,\n", "\n  8,5,\n", "f"},
      {table, "next < 4", "next < 5", "does not belong here"},
      {table, "\n  1,1,\n", "\n  1,1,1,1,\n", "a run is damaged"},
      {table, "NET_INPUTS 2", "NET_INPUTS 0", "no inputs or no outputs"},
      {table, "NET_INPUTS 2", "NET_INPUTS 262145", "does not belong here"},
      {unrolled, "n3 = x[0]", "n3 = x[2]", "\"2] & ~x[1];\" does not belong"},
      {unrolled, "n3 = x[0]", "n3 = n2", "there is no n2"},
      {unrolled, "n3 = ", "n4 = ", "one after the other"},
      {unrolled, "NET_WORK 1", "NET_WORK 0", "NET_WORK should be 1"},
  };
  for (const auto& [text, old, now, part] : cases)
    EXPECT_THAT(error_of([damaged = changed(text, old, now)] { read_c(damaged, "f"); }), HasSubstr(part)) << old << now;
  EXPECT_THAT(error_of([&] { read_c("int main(void) { return 0; }\n", "f"); }), HasSubstr("the C that Firn writes"));
}

// All of these are code to a compiler, or hide code from it: a comment ends at the first "*/", also where a backslash,
// or a trigraph for one, joins two lines to it.
TEST(CTest, ACommentEndsWhereACompilerEndsIt) {
  const std::string text = write_c(two_outputs(), {});
  const std::string code = "#define switch(k) switch((k) ^ 1)\n/*\n";
  for (const char* comment :
       {"/*\n*/ ", "/*\n */ ", "/*\n * */\n", "/*\n *\\\n/\n", "/*\n *?\?/\n/\n", "/*\n * /*\n", ""}) {
    const std::string error = error_of([&] { read_c(changed(text, "/*\n", comment + code), "f"); });
    EXPECT_THAT(error, HasSubstr("the C that Firn writes")) << comment;
  }
}

TEST(CTest, TooManyGatesAreNotUnrolled) {
  Blueprint blueprint = two_outputs();
  blueprint.netlist.gates.assign(50'001, blueprint.netlist.gates[0]);
  EXPECT_THAT(error_of([&] { write_c(blueprint, {.unrolled = true}); }), HasSubstr("write a table"));
}

}  // namespace
}  // namespace firn
