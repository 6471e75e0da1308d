// The lines at the head of an exported file: what is inside, which bit is what, and the thresholds of the features.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/study/export_circuit.h"

namespace firn::study {

// How every file begins, after the mark of a comment.
inline constexpr std::string_view kFirstNote = "Logic gate network exported by Firn";

// What a caller passes: numbers or bits, categories, and what missing values become.
std::vector<std::string> input_notes(const CircuitModel& model, const std::optional<InputFormat>& input, bool numbers);

// `input` is how features arrive, where the encoder is inside; the netlist is the one that is written.
std::vector<std::string> export_notes(const CircuitModel& model, const FormatEntry& format, const ExportParams& params,
                                      const std::optional<InputFormat>& input, const Blueprint& blueprint);

}  // namespace firn::study
