// The names in a family's table, for messages and choices.
#pragma once

#include <string>
#include <vector>

namespace firn {

// Entries are anything with a `name`.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace firn
