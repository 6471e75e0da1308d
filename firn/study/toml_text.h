// TOML between its parser and Firn's own values.
#pragma once

#include <optional>
#include <string_view>

#include "firn/base/value.h"
#include "firn/study/toml.h"

namespace firn::study {

// Parses a document; mistakes are Errors that begin with NAME:LINE:COLUMN.
toml::table parse_toml(std::string_view text, std::string_view name);

// Nothing for what no key takes: dates, tables, lists of lists.
std::optional<Value> to_value(const toml::node& node);

}  // namespace firn::study
