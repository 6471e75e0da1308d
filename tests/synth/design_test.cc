#include "firn/synth/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/circuit/builder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

Netlist exclusive_or() {
  NetBuilder builder(2);
  const Wire wire = builder.make_xor(builder.input(0), builder.input(1));
  return std::move(builder).take({wire});
}

TEST(LoadCommands, CombinationalCircuitsAreAiger) {
  const WorkbenchSettings settings;
  const Workbench bench(settings);
  EXPECT_THAT(load_commands({exclusive_or(), 0}, bench), HasSubstr("read_aiger"));
  EXPECT_TRUE(std::filesystem::exists(bench.folder() / "core.aig"));
}

TEST(LoadCommands, RegistersNeedVerilog) {
  const WorkbenchSettings settings;
  const Workbench bench(settings);
  EXPECT_THAT(load_commands({exclusive_or(), 3}, bench), HasSubstr("read_verilog core.v"));
  EXPECT_THAT(bench.read("core.v"), HasSubstr("LATENCY = 3"));
}

}  // namespace
}  // namespace firn
