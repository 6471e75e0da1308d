// Texts are as the tools of Debian 12 printed them.
#include "firn/synth/tool_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

constexpr const char* kStat = R"(
5. Printing statistics.

=== core ===

   Number of wires:              13113
   Number of wire bits:          19461
   Number of public wires:       11024
   Number of public wire bits:   11024
   Number of memories:               0
   Number of memory bits:            0
   Number of processes:              0
   Number of cells:               6233
     INV                           129
     LUT2                         2112
     LUT3                          814
     LUT4                         1111
     LUT5                          509
     LUT6                         1558

)";

constexpr const char* kStatWithArea = R"(
=== core ===

   Number of processes:              0
   Number of cells:                  9
     AND2X1                          2
     DFFPOSX1                        3
     INVX1                           4

   Chip area for module '\core': 416.500000

)";

TEST(ParseStat, CountsCellsByKind) {
  const CellCounts counts = parse_stat(kStat);
  EXPECT_EQ(counts.cells.size(), 6u);
  EXPECT_EQ(counts.total(), 6233u);
  EXPECT_EQ(counts.starting_with("LUT"), 6104u);
  EXPECT_EQ(counts.cells.at("INV"), 129u);
  EXPECT_EQ(counts.area, 0);
}

TEST(ParseStat, ReadsTheAreaWhereThereIsOne) {
  const CellCounts counts = parse_stat(kStatWithArea);
  EXPECT_EQ(counts.starting_with("DFF"), 3u);
  EXPECT_EQ(counts.area, 416.5);
}

TEST(ParseStat, ACircuitOfWiresHasNoCells) {
  EXPECT_EQ(parse_stat("=== core ===\n\n   Number of cells:                  0\n\n").total(), 0u);
}

TEST(ParseStat, RefusesWhatDoesNotAddUp) {
  EXPECT_THAT(error_of([] { parse_stat("   Number of cells:   3\n     LUT2    2\n\n"); }),
              HasSubstr("the output of yosys has no list of cells"));
  EXPECT_THAT(error_of([] { parse_stat("ERROR: nothing\n"); }),
              HasSubstr("the output of yosys has no number of cells"));
}

TEST(ParseLongestPath, ReadsItsLength) {
  EXPECT_EQ(parse_longest_path("4. Executing LTP pass (find longest path).\n\n"
                               "Longest topological path in core (length=5):\n    0: \\x[99]\n"),
            5u);
  EXPECT_THAT(error_of([] { parse_longest_path("4. Executing LTP pass (find longest path).\n"); }),
              HasSubstr("no longest path"));
}

TEST(ParseAbcMapping, ReadsTheLastMappingThroughItsColours) {
  const MappedCounts counts = parse_abc_mapping(
      "\x1b[1;37mcore    \x1b[0m: i/o =    784/  10240  \x1b[1;36mand =   18164\x1b[0m  \x1b[1;35mlev =   13\x1b[0m "
      "\x1b[1;35m(7.09)\x1b[0m  mem = 0.46 MB\n"
      "Mapping (K=6)  :  \x1b[1;33mlut =   5404\x1b[0m  \x1b[1;32medge =   22075\x1b[0m  \x1b[1;31mlev =    5\x1b[0m "
      "\x1b[1;31m(3.85)\x1b[0m  mem = 0.24 MB");
  EXPECT_EQ(counts.ands, 18164u);
  EXPECT_EQ(counts.luts, 5404u);
  EXPECT_EQ(counts.levels, 5u);
  EXPECT_THAT(error_of([] { parse_abc_mapping("core : i/o = 1/ 1  and = 1  lev = 1"); }),
              HasSubstr("berkeley-abc has no mapping"));
}

TEST(ParseSlack, ReadsMetAndViolated) {
  EXPECT_DOUBLE_EQ(parse_slack("-------\n          1000.0000   data required time\n            -3.8207   data arrival "
                               "time\n-------\n           996.1794   slack (MET)\n"),
                   996.1794);
  EXPECT_DOUBLE_EQ(parse_slack("            -0.2500   slack (VIOLATED)\n"), -0.25);
  EXPECT_THAT(error_of([] { parse_slack("No paths found.\n"); }), HasSubstr("the output of sta has no slack"));
}

TEST(ParseNextpnrReport, TakesTheSlowestClock) {
  const Routed routed = parse_nextpnr_report(
      R"({"fmax": {"a": {"achieved": 58.5, "constraint": 12}, "b": {"achieved": 40.25, "constraint": 12}},
          "utilization": {"ICESTORM_LC": {"available": 7680, "used": 493}}})");
  EXPECT_EQ(routed.mhz, 40.25);
  EXPECT_EQ(routed.cells, 493u);
  EXPECT_THAT(error_of([] { parse_nextpnr_report("{"); }), HasSubstr("nextpnr-ice40"));
  EXPECT_THAT(error_of([] { parse_nextpnr_report(R"({"fmax": {}, "utilization": {"ICESTORM_LC": {"used": 1}}})"); }),
              HasSubstr("clock frequency"));
}

TEST(ParseCellArea, FindsTheCell) {
  constexpr const char* kLibrary =
      "cell (MUX2X1) {\narea : 48;\n}\ncell (NAND2X1) {\narea : 24;\n  cell_leakage_power : 0.03;\n}\n";
  EXPECT_EQ(parse_cell_area(kLibrary, "NAND2X1"), 24);
  EXPECT_THAT(error_of([&] { parse_cell_area(kLibrary, "NAND9"); }), HasSubstr("cell NAND9"));
}

}  // namespace
}  // namespace firn
