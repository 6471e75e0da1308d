// What the parts of a C file have in common: names, and the pieces that the writer writes and the reader asks for.
#pragma once

#include <string>
#include <string_view>

#include "firn/exchange/format.h"
#include "firn/exchange/scanner.h"

namespace firn::exchange {

inline constexpr std::string_view kTableEnd = "\n};\n\n";

std::string macro_name(std::string_view name);  // in capitals

// The function on bits: "void NAME(const uint64_t *x, ...)", without a semicolon.
inline constexpr std::string_view kBitParameters = "(const uint64_t *x, uint64_t *y, uint64_t *work)";
std::string bits_signature(std::string_view name);

// Words of memory that the function on bits needs.
std::size_t bits_work(const Netlist& netlist, const WriteOptions& options);

// Files whose functions take numbers have the function on bits under this name.
inline constexpr std::string_view kBitsSuffix = "_bits";

// The functions that take numbers, behind the one on bits, whose inputs, outputs and memory they need to know.
struct NumberPart {
  std::string name;  // of the function on one sample
  std::size_t inputs = 0, outputs = 0, bits_work = 0;
  Surroundings around;

  std::size_t work() const { return inputs + outputs + bits_work; }
};
NumberPart number_part_of(const Blueprint& blueprint, const WriteOptions& options);  // which has surroundings
std::string number_part(const NumberPart& part);
// Reads what number_part() wrote; name, inputs, outputs and memory are known already.
Surroundings read_number_part(Scanner& scan, NumberPart part);

// What a caller sees of it, for usage notes and the header file.
std::string sizes_of(const NumberPart& part);              // as macros, all but the memory
std::string_view feature_type(const InputFormat& format);  // "float", "int16_t", ...
std::string many_signature(const NumberPart& part);        // without semicolons
std::string one_signature(const NumberPart& part);
std::string usage_of(const NumberPart& part);  // lines of a comment

}  // namespace firn::exchange
