#include "firn/data/sources/table.h"

#include <algorithm>
#include <vector>

#include "firn/data/table_source.h"
#include "firn/data/table_text.h"

namespace firn::data {

FieldTable parse_table(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  FieldTable table;
  table.name = name;
  bytes = checked_text(bytes, name);
  std::vector<std::string_view> row;
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    std::string_view rest = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(rest.size() + 1, bytes.size()));
    row.clear();
    for (;;) {
      const std::size_t start = rest.find_first_not_of(kBlanks);
      if (start == std::string_view::npos) break;
      rest.remove_prefix(start);
      row.push_back(rest.substr(0, rest.find_first_of(kBlanks)));
      rest.remove_prefix(row.back().size());
    }
    if (!row.empty()) append_row(table, row, line);
  }
  return table;
}

Dataset load_table(const DataSettings& settings) {
  return load_tables(settings, {.source = "table",
                                .parse = [](std::string_view bytes, const std::string& name,
                                            std::string_view) { return parse_table(bytes, name); },
                                .has_header = [](const FieldTable&, const DataSettings&) { return false; },
                                .separator = "blanks",
                                .rules = {.label_first = true, .integers_are_names = true, .last_may_be_id = true}});
}

}  // namespace firn::data
