// Reads the figures out of what the tools print.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace firn::synth {

// Every function throws an Error that names the tool where the text does not have what it should.

// Cells by kind and, where a library was given, their area, from the command `stat` of yosys.
struct CellCounts {
  std::map<std::string, std::size_t> cells;
  double area = 0;  // in the unit of the library

  std::size_t total() const;
  std::size_t starting_with(std::string_view prefix) const;
};
CellCounts parse_stat(std::string_view text);

// Cells on the longest path, from the command `ltp` of yosys.
std::size_t parse_longest_path(std::string_view text);

// From the last line that the command `&ps` of ABC prints about a mapped network.
struct MappedCounts {
  std::size_t ands = 0, luts = 0, levels = 0;
};
MappedCounts parse_abc_mapping(std::string_view text);

// What is left of the period, in ns, from `report_checks` of OpenSTA.
double parse_slack(std::string_view text);

// From the JSON report of nextpnr: the lowest of its clock frequencies, in MHz, and the logic cells in use.
struct Routed {
  double mhz = 0;
  std::size_t cells = 0;
};
Routed parse_nextpnr_report(std::string_view json);

// The area of a cell of a Liberty library.
double parse_cell_area(std::string_view liberty, std::string_view cell);

}  // namespace firn::synth
