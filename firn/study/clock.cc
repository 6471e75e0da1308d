#include "firn/study/clock.h"

#include <fmt/format.h>

#include "firn/base/file.h"

namespace firn::study {

ClockWish clock_wish(const std::string& clock, const std::string& target, const std::string& delays_file) {
  const double ns = parse_clock(clock);
  if (delays_file.empty()) return {ns, delays_of(built_in_delays(), target)};
  return {ns, delays_of(parse_delays(read_text(delays_file), delays_file), target)};
}

std::string describe(const PipelineChoice& choice, const ClockWish& clock) {
  return fmt::format("{} {} of at most {} {}, which take {:.2f} ns on {}; {:.2f} ns were asked for", choice.stages,
                     choice.stages == 1 ? "stage" : "stages", choice.levels, choice.levels == 1 ? "level" : "levels",
                     choice.ns, clock.delays.target, clock.ns);
}

}  // namespace firn::study
