// Families of variants: tables of named entries, and the one way to find an entry by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

// "a, b or c".
std::string listed(std::span<const std::string> names);

[[noreturn]] void throw_no_such_entry(std::string_view what, std::string_view name, std::span<const std::string> names);

// Entries are anything with a `name`.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

// The entry of that name; where there is none, an Error that lists the names. `what` is what an entry is called, such
// as "strategy". The entry is the table's own, so the table must outlive it.
template <class Table>
const auto& entry_named(std::string_view name, const Table& table, std::string_view what) {
  for (const auto& entry : table)
    if (entry.name == name) return entry;
  throw_no_such_entry(what, name, names_of(table));
}

}  // namespace firn
