// How long gates take, and how many stages of registers a clock therefore needs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn::synth {

// The clock period that a stage of so many levels of gates needs, registers included.
struct StageDelay {
  std::size_t levels = 0;
  double ns = 0;
  friend bool operator==(const StageDelay&, const StageDelay&) = default;
};

struct DelayTable {
  std::string target;              // as targets() names it
  std::string source;              // which tools measured what
  std::vector<StageDelay> stages;  // by levels, and no slower with fewer of them
  friend bool operator==(const DelayTable&, const DelayTable&) = default;
};

// What was measured where Firn was written; see docs/hardware.md.
std::span<const DelayTable> built_in_delays();
// The table of a target; an Error lists those that there are.
const DelayTable& delays_of(std::span<const DelayTable> tables, std::string_view target);

// Between two entries in proportion, beyond the last one by the slope of the last two. `levels` >= 1.
double period_of(const DelayTable& table, std::size_t levels);

struct PipelineChoice {
  std::size_t stages = 1;
  std::size_t levels = 0;  // of gates in the deepest stage
  double ns = 0;           // that the table gives for it
};
// The fewest stages with which the table promises the clock to a circuit of that depth. An Error where a single level
// takes longer.
PipelineChoice stages_for_clock(const DelayTable& table, std::size_t depth, double clock_ns);

// "5ns", "800ps", "0.5us", "200MHz" or "1GHz" in nanoseconds.
double parse_clock(std::string_view text);

// The file that users keep: sealed JSON, see base/sealed_json.h. Files of earlier versions have no checksum, and those
// that were edited by hand need none.
inline constexpr const char* kDelaysFormat = "firn delays 1";
inline constexpr std::string_view kEarlierDelaysFormat = "firn-delays";
std::string delays_text(std::span<const DelayTable> tables);
std::vector<DelayTable> parse_delays(std::string_view text, const std::string& source);

}  // namespace firn::synth
