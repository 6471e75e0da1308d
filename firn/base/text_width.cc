#include "firn/base/text_width.h"

namespace firn {

namespace {

// Bytes of the character that starts at `at`, together with the combining marks (U+0300 to U+036F) after it.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const auto combines = [&](std::size_t i) {
    return continues(i + 1) && (byte(i) == 0xcc || (byte(i) == 0xcd && byte(i + 1) <= 0xaf));
  };
  std::size_t end = at + 1;
  while (continues(end)) ++end;
  while (end < text.size() && combines(end)) end += 2;
  return end - at;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at += character_bytes(text, at)) ++columns;
  return columns;
}

std::string fit_to_width(std::string_view text, std::size_t columns) {
  if (text_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t bytes = 0;
  for (std::size_t used = 0; used + 1 < columns; ++used) bytes += character_bytes(text, bytes);
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace firn
