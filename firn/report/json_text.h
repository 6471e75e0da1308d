// A report's record as the JSON text that its page reads: short numbers, one list for each column.
#pragma once

#include <string>

#include "firn/report/records.h"

namespace firn::report {

// Bytes of names that are no UTF-8 become U+FFFD.
std::string to_json_text(const ReportRecord& report);

}  // namespace firn::report
