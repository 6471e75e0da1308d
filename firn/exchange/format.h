// The family of circuit formats: files that other tools read, and their readers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "firn/circuit/hierarchy.h"
#include "firn/exchange/blueprint.h"

namespace firn::exchange {

struct WriteOptions {
  bool unrolled = false;     // C: one statement per gate instead of tables
  std::size_t pipeline = 0;  // Verilog: stages of registers; 0: combinational
};

struct FormatEntry {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  std::string (*write)(const Blueprint& blueprint, const WriteOptions& options);
  ParsedCircuit (*read)(std::string_view bytes, const std::string& source);
  // Of the header file that comes with it; null where there is none. Such formats take numbers, the others bits.
  std::string (*write_header)(const Blueprint& blueprint, const WriteOptions& options) = nullptr;
};

std::span<const FormatEntry> formats();
const FormatEntry& find_format(std::string_view name);
const FormatEntry* format_of_file(const std::string& file);  // by the ending of its name; null where none fits

// Verilog of a circuit with modules in it, combinational and without lanes; the names of modules begin with that of the
// blueprint, whose netlist is not looked at.
std::string write_verilog_hierarchy(const Blueprint& blueprint, const circuit::Hierarchy& hierarchy);

// One line each in the table.
std::string write_c(const Blueprint& blueprint, const WriteOptions& options);
std::string write_c_header(const Blueprint& blueprint, const WriteOptions& options);
std::string write_verilog(const Blueprint& blueprint, const WriteOptions& options);
std::string write_blif(const Blueprint& blueprint, const WriteOptions& options);
std::string write_aiger(const Blueprint& blueprint, const WriteOptions& options);
std::string write_ascii_aiger(const Blueprint& blueprint, const WriteOptions& options);
// AIGER and BLIF are read whoever wrote them; C and Verilog only as they are written here.
ParsedCircuit read_c(std::string_view text, const std::string& source);
ParsedCircuit read_verilog(std::string_view text, const std::string& source);
ParsedCircuit read_blif(std::string_view text, const std::string& source);
ParsedCircuit read_aiger(std::string_view bytes, const std::string& source);  // both kinds

}  // namespace firn::exchange
