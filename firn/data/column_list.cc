#include "firn/data/column_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "firn/base/error.h"
#include "firn/data/cells.h"

namespace firn::data {
namespace {

std::vector<std::string> split_categories(std::string_view text) {
  std::vector<std::string> categories;
  for (;;) {
    const std::size_t bar = text.find('|');
    categories.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return categories;
    text.remove_prefix(bar + 1);
  }
}

DeclaredColumn parse_entry(const std::string& entry) {
  constexpr std::string_view kList = ":categorical(";
  const std::size_t list = entry.rfind(kList);
  if (list != std::string::npos && list > 0 && entry.ends_with(')')) {
    const std::size_t start = list + kList.size();
    DeclaredColumn column{entry.substr(0, list), ColumnKind::kCategorical,
                          split_categories(std::string_view(entry).substr(start, entry.size() - 1 - start))};
    if (start + 1 == entry.size())
      throw Error(
          fmt::format("data.columns lists no category of '{0}'; list them, or write \"{0}:categorical\"", column.name));
    // Whatever a missing value is written as, it is one category.
    const auto same = [](const std::string& a, const std::string& b) {
      return a == b || (is_missing(a) && is_missing(b));
    };
    for (auto at = column.categories.begin(); at != column.categories.end(); ++at)
      if (std::find_if(column.categories.begin(), at, [&](const std::string& other) { return same(other, *at); }) != at)
        throw Error(fmt::format("data.columns lists the category '{}' of '{}' twice; list it once", *at, column.name));
    return column;
  }
  const std::size_t colon = entry.rfind(':');
  const std::string kind = colon == std::string::npos ? "" : entry.substr(colon + 1);
  if (colon != 0 && kind == "numeric") return {entry.substr(0, colon), ColumnKind::kNumeric};
  if (colon != 0 && kind == "categorical") return {entry.substr(0, colon), ColumnKind::kCategorical};
  if (colon != 0 && kind == "ignore") return {entry.substr(0, colon), ColumnKind::kIgnored};
  throw Error(
      fmt::format("\"{}\" in data.columns does not say what a column is; write \"NAME:numeric\", "
                  "\"NAME:categorical\", \"NAME:categorical(A|B)\" or \"NAME:ignore\"",
                  entry));
}

}  // namespace

std::vector<DeclaredColumn> parse_column_list(std::span<const std::string> entries) {
  std::vector<DeclaredColumn> columns;
  for (const std::string& entry : entries) columns.push_back(parse_entry(entry));
  return columns;
}

}  // namespace firn::data
