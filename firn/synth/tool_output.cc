#include "firn/synth/tool_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"

namespace firn::synth {

namespace {

[[noreturn]] void fail(std::string_view tool, std::string_view what) {
  throw Error(fmt::format("the output of {} has no {}; this version may print it in another way", tool, what));
}

// The number that stands at the beginning, perhaps behind blanks.
template <class Number>
Number first_number(std::string_view text, std::string_view tool, std::string_view what) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  Number number{};
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) fail(tool, what);
  return number;
}

// The one that follows the last `mark`.
template <class Number>
Number number_after(std::string_view text, std::string_view mark, std::string_view tool, std::string_view what) {
  const std::size_t found = text.rfind(mark);
  if (found == std::string_view::npos) fail(tool, what);
  return first_number<Number>(text.substr(found + mark.size()), tool, what);
}

// ABC colours its figures even where nobody sees it.
std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b')
      at = std::min(text.find('m', at), text.size());
    else
      plain += text[at];
  }
  return plain;
}

}  // namespace

std::size_t CellCounts::total() const {
  return starting_with("");
}

std::size_t CellCounts::starting_with(std::string_view prefix) const {
  std::size_t sum = 0;
  for (const auto& [kind, count] : cells)
    if (kind.starts_with(prefix)) sum += count;
  return sum;
}

CellCounts parse_stat(std::string_view text) {
  constexpr std::string_view kTotal = "Number of cells:", kArea = "Chip area for";
  const auto total = number_after<std::size_t>(text, kTotal, "yosys", "number of cells");
  CellCounts counts;
  std::istringstream lines{std::string(text.substr(text.rfind(kTotal) + kTotal.size()))};
  std::string line;
  std::getline(lines, line);  // the rest of the total's own
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind, rest;
    std::size_t count = 0;
    if (!(words >> kind >> count) || words >> rest) break;
    counts.cells[kind] = count;
  }
  if (counts.total() != total) fail("yosys", "list of cells that adds up");
  if (text.find(kArea) != std::string_view::npos)
    counts.area = number_after<double>(text.substr(text.rfind(kArea)), "': ", "yosys", "area");
  return counts;
}

std::size_t parse_longest_path(std::string_view text) {
  return number_after<std::size_t>(text, "(length=", "yosys", "longest path");
}

MappedCounts parse_abc_mapping(std::string_view text) {
  const std::string plain = without_colours(text);
  if (plain.find("Mapping (K=") == std::string::npos) fail("berkeley-abc", "mapping");
  return {number_after<std::size_t>(plain, " and =", "berkeley-abc", "number of ANDs"),
          number_after<std::size_t>(plain, " lut =", "berkeley-abc", "number of look-up tables"),
          number_after<std::size_t>(plain, " lev =", "berkeley-abc", "number of levels")};
}

double parse_slack(std::string_view text) {
  const std::size_t word = text.rfind("slack (");
  if (word == std::string_view::npos) fail("sta", "slack");
  const std::size_t line = text.rfind('\n', word) + 1;  // npos + 1 is 0
  return first_number<double>(text.substr(line, word - line), "sta", "slack");
}

Routed parse_nextpnr_report(std::string_view json) {
  try {
    const nlohmann::json report = parse_json(json);
    Routed routed{.mhz = 0,
                  .cells = report.at("utilization").at("ICESTORM_LC").at("used").get_ref<const std::uint64_t&>()};
    for (const auto& clock : report.at("fmax")) {
      const double mhz = clock.at("achieved").get<double>();
      routed.mhz = routed.mhz == 0 ? mhz : std::min(routed.mhz, mhz);
    }
    if (routed.mhz <= 0) fail("nextpnr-ice40", "clock frequency");
    return routed;
  } catch (const nlohmann::json::exception&) {
    fail("nextpnr-ice40", "report that can be read");
  }
}

double parse_cell_area(std::string_view liberty, std::string_view cell) {
  const std::size_t found = liberty.find(fmt::format("cell ({})", cell));
  if (found == std::string_view::npos) fail("the library", fmt::format("cell {}", cell));
  const std::string_view rest = liberty.substr(found);
  const std::size_t area = rest.find("area :");
  if (area == std::string_view::npos) fail("the library", fmt::format("area of {}", cell));
  return number_after<double>(rest.substr(0, rest.find('\n', area)), "area :", "the library", "area");
}

}  // namespace firn::synth
