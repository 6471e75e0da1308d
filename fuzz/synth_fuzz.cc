// What the tools of synthesis print, and tables of delays.
#include "firn/synth/delays.h"
#include "firn/synth/tool_output.h"
#include "fuzz/run_target.h"

namespace {

using namespace firn;

template <class Read>
void read_or_fail(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return run_target(data, size, [](std::string_view bytes) {
    read_or_fail([&] { synth::parse_stat(bytes); });
    read_or_fail([&] { synth::parse_longest_path(bytes); });
    read_or_fail([&] { synth::parse_abc_mapping(bytes); });
    read_or_fail([&] { synth::parse_slack(bytes); });
    read_or_fail([&] { synth::parse_nextpnr_report(bytes); });
    read_or_fail([&] { synth::parse_cell_area(bytes, "X"); });
    read_or_fail([&] { synth::parse_clock(bytes); });
    const std::vector<synth::DelayTable> tables = synth::parse_delays(bytes, "fuzz");
    for (const synth::DelayTable& table : tables) {
      FIRN_CHECK(synth::period_of(table, 1) > 0);
      read_or_fail([&] { synth::stages_for_clock(table, /*depth=*/100, /*clock_ns=*/5); });
    }
    FIRN_CHECK(synth::parse_delays(synth::delays_text(tables), "again").size() == tables.size());
  });
}
