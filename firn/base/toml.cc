#include "firn/base/toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"

namespace firn {
namespace {

// Where the string ends that begins at `at`: after its last quote, or where it is cut.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool has_lines = text.substr(at, 3) == three;
  for (at += has_lines ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (has_lines && text.substr(at, 3) == three) {
      // Two more quotes may belong to the text.
      return std::min({text.find_first_not_of(quote, at), at + 5, text.size()});
    } else if (!has_lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    }
  }
  return text.size();
}

// The dot with which a key gets too many parts. The library turns every part into a table within the one before, by a
// loop, but takes them apart recursively: a long key would overflow the stack.
std::size_t find_endless_key(std::string_view text) {
  std::size_t parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '.' && ++parts > kMostKeyParts) return at;
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts = 1;
    if (c == '#')
      at = std::min(text.find('\n', at), text.size());
    else
      at = c == '"' || c == '\'' ? end_of_string(text, at) : at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view name) {
  if (const std::size_t dot = find_endless_key(text); dot != std::string_view::npos) {
    const std::string_view before = text.substr(0, dot);
    throw Error(fmt::format("{}:{}:{}: a key has more than {} parts; correct it", name,
                            1 + std::ranges::count(before, '\n'), dot - before.rfind('\n'), kMostKeyParts));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    const auto& where = e.source().begin;
    throw Error(fmt::format("{}:{}:{}: {}", name, where.line, where.column, e.description()));
  }
}

}  // namespace firn
