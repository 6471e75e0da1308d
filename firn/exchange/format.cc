#include "firn/exchange/format.h"

#include <fmt/format.h>

#include <array>

#include "firn/base/family.h"

namespace firn::exchange {

namespace {

constexpr std::array kFormats = {
    FormatEntry{"c", "c", "C99 without a library, 64 samples per word", write_c, read_c, write_c_header},
    FormatEntry{"verilog", "v", "Verilog-2001, combinational or pipelined", write_verilog, read_verilog},
    FormatEntry{"blif", "blif", "Berkeley Logic Interchange Format", write_blif, read_blif},
    FormatEntry{"aiger", "aig", "AIGER, binary", write_aiger, read_aiger},
    FormatEntry{"aag", "aag", "AIGER, ASCII", write_ascii_aiger, read_aiger},
};

}  // namespace

std::span<const FormatEntry> formats() {
  return kFormats;
}

const FormatEntry& find_format(std::string_view name) {
  return entry_named(name, kFormats, "circuit format");
}

const FormatEntry* format_of_file(const std::string& file) {
  for (const FormatEntry& entry : kFormats)
    if (file.ends_with(fmt::format(".{}", entry.extension))) return &entry;
  return nullptr;
}

}  // namespace firn::exchange
