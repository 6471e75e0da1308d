// Puts what surrounds a circuit into it: the comparators of the encoder in front, counters and the decision behind.
#pragma once

#include "firn/circuit/comparators.h"
#include "firn/circuit/netlist.h"
#include "firn/encode/encoder.h"
#include "firn/network/head.h"

namespace firn::circuit {

// The inputs become the bits of a sample's features: feature by feature, the least significant bit first. An Error
// where the encoder compares values of another kind.
Netlist with_encoder(const Netlist& circuit, const Comparators& encoder);

// The outputs become the number of the predicted class, or where a value is predicted the count that it is made from,
// least significant bit first.
Netlist with_head(const Netlist& circuit, const Head& head);

// Bits that number the classes.
std::size_t class_bits(std::size_t groups);
// Outputs of a circuit with its head, which has `outputs` without it.
std::size_t head_bits(const Head& head, std::size_t outputs);

}  // namespace firn::circuit
