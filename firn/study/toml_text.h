// TOML between its parser and Firn's own values.
#pragma once

#include <optional>

#include "firn/base/toml.h"
#include "firn/base/value.h"

namespace firn::study {

// Nothing for what no key takes: dates, tables, lists of lists.
std::optional<Value> to_value(const toml::node& node);

}  // namespace firn::study
