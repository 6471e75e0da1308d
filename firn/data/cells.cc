#include "firn/data/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "firn/base/printable.h"

namespace firn::data {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// Removes an exponent such as e-7 from the end.
std::string_view without_exponent(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return text;
  std::string_view power = text.substr(e + 1);
  if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
  return !power.empty() && std::ranges::all_of(power, is_digit) ? text.substr(0, e) : text;
}

}  // namespace

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
    if (cell.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) return std::nullopt;  // also NaN
  return value;
}

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 11> kMissing = {"",    "?",   "NA",   "N/A",  "n/a", "NaN",
                                                         "nan", "NAN", "NULL", "null", "None"};
  return std::ranges::find(kMissing, cell) != kMissing.end();
}

bool looks_like_number(std::string_view cell) {
  if (cell.empty() || number_in(cell)) return false;
  if (cell.front() == '+' || cell.front() == '-') cell.remove_prefix(1);
  const std::string small = lower(cell);
  if (small == "inf" || small == "infinity") return true;
  if (small.starts_with("0x")) return small.size() > 2 && std::all_of(small.begin() + 2, small.end(), is_hex_digit);
  if (cell.ends_with('%')) cell.remove_suffix(1);
  cell = without_exponent(cell);
  // Dates, versions and addresses have several points and stay words.
  return !cell.empty() && std::ranges::any_of(cell, is_digit) && std::ranges::count(cell, '.') <= 1 &&
         std::ranges::all_of(cell, [](char c) { return is_digit(c) || c == '.' || c == ',' || c == '_' || c == '\''; });
}

std::string quote_cell(std::string_view cell) {
  constexpr std::size_t kLongest = 40;
  if (cell.size() <= kLongest) return fmt::format("'{}'", printable(cell));
  std::size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(cell[cut]) & 0xc0) == 0x80) --cut;  // not inside a character
  return fmt::format("'{}...'", printable(cell.substr(0, cut)));
}

bool CellOrder::operator()(std::string_view a, std::string_view b) const {
  const std::optional<double> na = number_in(a), nb = number_in(b);
  if (na.has_value() != nb.has_value()) return na.has_value();
  if (na && *na != *nb) return *na < *nb;
  return a < b;
}

}  // namespace firn::data
