// Our own estimates of what tools would find, from the netlist alone: for machines without tools and circuits that are
// too large for them. docs/hardware.md says how far they are off.
#pragma once

#include <cstddef>

#include "firn/circuit/netlist.h"

namespace firn::synth {

// Levels of look-up tables with so many inputs, at most 6. An estimate from above: tools restructure the gates first.
std::size_t lut_levels_estimate(const Netlist& netlist, std::size_t inputs);

// Two-input NANDs of the same area in the OSU 0.18 um library.
double nand2_estimate(const Netlist& netlist);

// The slowest path in that library, in ns, with buffers where many gates read one wire.
double delay_estimate(const Netlist& netlist);

}  // namespace firn::synth
