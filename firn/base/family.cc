#include "firn/base/family.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn {

std::string listed(std::span<const std::string> names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

void throw_no_such_entry(std::string_view what, std::string_view name, std::span<const std::string> names) {
  throw Error(fmt::format("there is no {} \"{}\"; choose {}", what, name, listed(names)));
}

}  // namespace firn
