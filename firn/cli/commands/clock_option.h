// The options --clock, --clock-target and --delays, from which the stages of a pipeline are chosen.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "firn/cli/options.h"
#include "firn/cli/usage_error.h"
#include "firn/study/clock.h"
#include "firn/synth/delays.h"

namespace firn::cli {

class ClockOption {
 public:
  void add_to(Options& options) {
    options
        .add("--clock", clock_,
             "Verilog: as many stages of registers as this clock needs, such as 5ns or 200MHz, by the delays of levels")
        .type_name("CLOCK");
    options.add("--clock-target", target_, "With --clock: whose delays; osu018 or ice40 are built in")
        .type_name("NAME");
    options
        .add("--delays", delays_,
             "With --clock: delays that `firn synth --calibrate` measured, instead of the built-in ones")
        .type_name("FILE");
  }

  bool given() const { return !clock_.empty(); }
  const std::string& delays() const { return delays_; }  // a file that is read; may be empty

  // Nothing where no clock is given. A word that is no clock is a mistake on the command line.
  std::optional<study::ClockWish> wish() const {
    if (!given()) {
      if (!delays_.empty()) throw UsageError("--delays is for --clock");
      return std::nullopt;
    }
    try {
      synth::parse_clock(clock_);
    } catch (const Error& error) {
      throw UsageError(fmt::format("--clock: {}", error.what()));
    }
    return study::clock_wish(clock_, target_, delays_);
  }

 private:
  std::string clock_, target_ = "osu018", delays_;
};

}  // namespace firn::cli
