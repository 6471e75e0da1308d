#include "firn/data/table_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/printable.h"
#include "firn/data/files.h"

namespace firn::data {
namespace {

std::size_t line_of(std::string_view bytes, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(bytes.substr(0, at), '\n'));
}

}  // namespace

std::string_view checked_text(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    throw Error(fmt::format("{} is UTF-16; save it as UTF-8", name));
  if (bytes.starts_with(kUtf8Mark)) bytes.remove_prefix(kUtf8Mark.size());
  if (const std::size_t nul = bytes.find('\0'); nul != std::string_view::npos)
    throw Error(fmt::format("{}, line {}: there is a NUL byte, so it is not text; save the table as UTF-8", name,
                            line_of(bytes, nul)));
  if (const std::size_t bad = first_broken_character(bytes); bad != std::string_view::npos)
    throw Error(fmt::format("{}, line {}: the byte 0x{:02x} is not UTF-8; save the table as UTF-8", name,
                            line_of(bytes, bad), static_cast<unsigned char>(bytes[bad])));
  return bytes;
}

std::string table_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::string read_table_bytes(const std::string& path, std::string_view advice) {
  std::string bytes = read_text(path == "-" ? "/dev/stdin" : path, advice);
  return bytes.starts_with("\x1f\x8b") ? gunzip(bytes, table_name(path)) : bytes;
}

}  // namespace firn::data
