// The family of circuit formats: files that other tools read, and where they hand circuits back, a reader.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "firn/exchange/blueprint.h"

namespace firn {

struct WriteOptions {
  bool unrolled = false;     // C: one statement a gate instead of tables
  std::size_t pipeline = 0;  // Verilog: stages of registers; 0: combinational
};

struct FormatEntry {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  std::string (*write)(const Blueprint& blueprint, const WriteOptions& options);
  ParsedCircuit (*read)(std::string_view bytes, const std::string& source);  // null where there is no reader
};

std::span<const FormatEntry> formats();
const FormatEntry& find_format(std::string_view name);
// By the ending of a file's name; an Error lists what can be read.
const FormatEntry& readable_format_of(const std::string& file);

// One line each in the table.
std::string write_c(const Blueprint& blueprint, const WriteOptions& options);
std::string write_verilog(const Blueprint& blueprint, const WriteOptions& options);
std::string write_blif(const Blueprint& blueprint, const WriteOptions& options);
std::string write_aiger(const Blueprint& blueprint, const WriteOptions& options);
std::string write_ascii_aiger(const Blueprint& blueprint, const WriteOptions& options);
ParsedCircuit read_blif(std::string_view text, const std::string& source);
ParsedCircuit read_aiger(std::string_view bytes, const std::string& source);  // both kinds

}  // namespace firn
