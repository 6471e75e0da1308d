// A clock that users wish for: how long its period is, on which target, and the delays from which stages are chosen.
#pragma once

#include <string>

#include "firn/synth/delays.h"

namespace firn::study {

struct ClockWish {
  double ns = 0;
  DelayTable delays;  // of the target
};

// `clock` as in "5ns" or "200MHz". Delays are those of a file that calibration wrote, or built in where it is empty.
ClockWish clock_wish(const std::string& clock, const std::string& target, const std::string& delays_file = {});

// "9 stages of at most 12 levels: 4.70 ns on osu018 by ..."
std::string describe(const PipelineChoice& choice, const ClockWish& clock);

}  // namespace firn::study
