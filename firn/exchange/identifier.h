// Names of functions and modules: those that are written, and those that are read.
#pragma once

#include <string>
#include <string_view>

namespace firn::exchange {

// The text with every other character than a letter or digit as '_', and "circuit_" in front where it would begin with
// a digit or an underscore, or be a word of C, C++ or Verilog or a name that compilers or C's own headers define.
std::string identifier(std::string text);

// May a file hold this identifier? Other programs, and earlier versions of Firn, have given names that are legal but
// unwise, such as "log", or "requires", which only C++20 made a word.
bool is_accepted_name(std::string_view word);

}  // namespace firn::exchange
