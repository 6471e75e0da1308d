// Names that every format accepts for a function or module.
#pragma once

#include <string>

namespace firn::exchange {

// The text with every other character than a letter or digit as '_', and "circuit_" in front where it would begin with
// a digit or be a word of C or Verilog or a name of C's own headers.
std::string identifier(std::string text);

}  // namespace firn::exchange
