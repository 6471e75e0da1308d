#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/circuit/equivalence.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

Blueprint random_blueprint(std::uint64_t seed) {
  Netlist netlist = random_netlist(2 + seed % 7, 5 + seed % 60, 1 + seed % 5, seed);
  simplify(netlist);
  Blueprint blueprint;
  blueprint.name = "net";
  blueprint.netlist = netlist;
  blueprint.notes = {"a note", "another"};
  return blueprint;
}

Netlist read_back(const FormatEntry& format, const std::string& text, const Blueprint& blueprint) {
  const ParsedCircuit parsed = format.read(text, "file");
  return in_bus_order(parsed, blueprint.netlist.inputs, blueprint.netlist.outputs.size(), "file");
}

TEST(FormatsTest, WhatIsWrittenIsReadBackAsTheSameFunction) {
  for (const FormatEntry& format : formats()) {
    if (format.read == nullptr) continue;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const Blueprint blueprint = random_blueprint(seed);
      Netlist back = read_back(format, format.write(blueprint, {}), blueprint);
      const auto in = random_words(blueprint.netlist.inputs, 1, seed);
      ASSERT_TRUE(same_rows(simulate(back, in), simulate(blueprint.netlist, in))) << format.name << " " << seed;
      ASSERT_TRUE(check_equivalence(back, blueprint.netlist).proved()) << format.name << " " << seed;
      simplify(back);
      recover_xors(back);
      simplify(back);
      ASSERT_LE(back.gates.size(), blueprint.netlist.gates.size()) << format.name << " loses its XORs, seed " << seed;
    }
  }
}

// Changes that are sure to matter: every gate of the simplified circuit, one after the other, computes something else.
TEST(FormatsTest, NoMutantOfAnExportedFileSurvives) {
  std::size_t mutants = 0;
  for (const FormatEntry& format : formats()) {
    if (format.read == nullptr) continue;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Blueprint blueprint = random_blueprint(seed + 40);
      for (std::size_t g = 0; g < blueprint.netlist.gates.size(); ++g) {
        Blueprint mutant = blueprint;
        NetGate& gate = mutant.netlist.gates[g];
        gate = gate.op == Gate::kXor ? NetGate{gate.a, gate.b, Gate::kAnd, 0} : NetGate{!gate.a, gate.b, Gate::kAnd, 0};
        const auto all = random_words(blueprint.netlist.inputs, 64, seed);  // every assignment, most likely
        const bool matters = !same_rows(simulate(mutant.netlist, all), simulate(blueprint.netlist, all));
        const Netlist read = read_back(format, format.write(mutant, {}), blueprint);
        const Equivalence result = check_equivalence(blueprint.netlist, read, {.patterns = 1});
        ASSERT_EQ(result.difference.has_value(), matters) << format.name << " seed " << seed << " gate " << g;
        ASSERT_EQ(result.proved(), !matters);
        mutants += matters;
      }
    }
  }
  EXPECT_GT(mutants, 300u);
}

TEST(AigerTest, AsciiGatesMayComeInAnyOrder) {
  const ParsedCircuit circuit =
      read_aiger("aag 4 2 0 1 2\n2\n4\n8\n8 6 3\n6 2 4\ni0 x[0]\no0 out\nc\nany text", "f.aag");
  ASSERT_EQ(circuit.netlist.gates.size(), 2u);
  EXPECT_EQ(circuit.inputs, (std::vector<std::string>{"x[0]", ""}));
  EXPECT_EQ(circuit.outputs, (std::vector<std::string>{"out"}));
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
      {"aig 2 1 0 1 1\n4\n", "ends within the AND gates"},
      {"aig 2 1 0 1 1\n4\n\x09\x01", "reads a later gate"},
      {"aig 2 1 0 1 1\n9\n\x02\x01", "larger than the header allows"},
      {"aag 1 1 0 0 0 1\n2\n", "properties"},
  };
  for (const auto& [text, part] : cases) EXPECT_THAT(error_of([&] { read_aiger(text, "f"); }), HasSubstr(part)) << text;
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
      {".names a b\n111 1\n", "no row of a cover of 1 inputs"},
      {".names a b\n1 1\n0 0\n", "not both"},
      {".names\n", "no signal"},
      {".outputs y\n", "\"y\" is never defined"},
      {".inputs a\n.outputs y\n.names b y\n1 1\n", "\"b\" is never defined"},
      {".inputs a\n.names a\n1\n", "defined twice"},
      {".outputs y\n.names z y\n1 1\n.names y z\n1 1\n", "cyclic"},
      {".model a\n.model b\n", "only one model"},
  };
  for (const auto& [text, part] : cases) EXPECT_THAT(error_of([&] { read_blif(text, "f"); }), HasSubstr(part)) << text;
}

TEST(CTest, TooManyGatesAreNotUnrolled) {
  Blueprint blueprint;
  blueprint.name = "net";
  blueprint.netlist.inputs = 2;
  const NetGate gate{Wire(1, false), Wire(2, false), Gate::kAnd, 0};
  blueprint.netlist.gates.assign(50'001, gate);
  blueprint.netlist.outputs = {Wire(3, false)};
  EXPECT_THAT(error_of([&] { write_c(blueprint, {.unrolled = true}); }), HasSubstr("--style table"));
}

}  // namespace
}  // namespace firn
