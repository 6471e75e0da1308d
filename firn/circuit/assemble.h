// Puts what surrounds a circuit into it: the comparators of the encoder in front, counters and the decision behind.
#pragma once

#include "firn/circuit/netlist.h"
#include "firn/encode/encoder.h"
#include "firn/network/head.h"

namespace firn::circuit {

// The inputs become the bits of a sample's bytes: feature by feature, the least significant bit first. An Error where
// the encoder compares real numbers.
Netlist with_encoder(const Netlist& circuit, const Encoder& encoder);
std::size_t byte_inputs(const Encoder& encoder);  // inputs that there are then

// The outputs become the number of the predicted class, least significant bit first.
Netlist with_head(const Netlist& circuit, const Head& head);

// Bits that number the classes.
std::size_t class_bits(std::size_t groups);

}  // namespace firn::circuit
