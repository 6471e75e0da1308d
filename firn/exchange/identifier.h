// Names that every format accepts for a function or module.
#pragma once

#include <string>

namespace firn::exchange {

// The text with every other character than a letter or digit as '_', and "circuit_" in front where it would begin with
// a digit or an underscore, or be a word of C, C++ or Verilog or a name that compilers or C's own headers define.
std::string identifier(std::string text);

}  // namespace firn::exchange
