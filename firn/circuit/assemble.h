// Puts what surrounds a circuit into it: the comparators of the encoder in front, counters and the decision behind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/circuit/comparators.h"
#include "firn/circuit/netlist.h"
#include "firn/encode/encoder.h"
#include "firn/network/head.h"

namespace firn::circuit {

// The inputs become the bits of a sample's features: feature by feature, the least significant bit first. An Error
// where the encoder compares values of another kind.
Netlist with_encoder(const Netlist& circuit, const Comparators& encoder);

// How a head says which class it is: as a number in binary, or by one output for each class, exactly one of them set.
enum class HeadForm : std::uint8_t { kNone, kBinary, kOneHot };

HeadForm parse_head_form(std::string_view name);  // "binary" or "one-hot"
std::vector<std::string> head_form_names();

// The outputs become the predicted class, or where a value is predicted the count that it is made from, least
// significant bit first. A value has no one-hot form, which is an Error; without a head the circuit stays as it is.
Netlist with_head(const Netlist& circuit, const Head& head, HeadForm form = HeadForm::kBinary);

// What a head does after counting: from the counts of groups of `size` outputs, each as wide as the largest count
// needs, least significant bit first, to the class. Of heads that decide.
Netlist decision_circuit(const Head& head, HeadForm form, std::size_t size);

// Bits that number the classes.
std::size_t class_bits(std::size_t groups);
// Outputs of a circuit with its head, which has `outputs` without it.
std::size_t head_bits(const Head& head, std::size_t outputs, HeadForm form = HeadForm::kBinary);

}  // namespace firn::circuit
