// The option --input: how features arrive at a circuit.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "firn/circuit/comparators.h"
#include "firn/cli/usage_error.h"

namespace firn::cli {

// Nothing where the option is not given. A word that is no format is a mistake on the command line.
inline std::optional<circuit::InputFormat> input_option(const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return circuit::parse_input_format(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--input: {}", error.what()));
  }
}

}  // namespace firn::cli
