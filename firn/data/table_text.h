// The text of a table in a file: UTF-8 only, so that names and categories mean the same wherever they are read.
#pragma once

#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn::data {

// Reads a file, a pipe, or standard input where the path is "-", each of them once and from start to end; gzipped text
// is unpacked. `advice` is what the user can do when the file is not there.
std::string read_table_bytes(const std::string& path, std::string_view advice);
std::string table_name(const std::string& path);  // for messages

// What follows the byte order mark, if there is one. UTF-16, NUL bytes and bytes that are not UTF-8 are refused with
// the line.
std::string_view checked_text(std::string_view bytes, const std::string& name);

}  // namespace firn::data
