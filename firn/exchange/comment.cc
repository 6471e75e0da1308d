#include "firn/exchange/comment.h"

#include <array>
#include <utility>

#include "firn/base/printable.h"

namespace firn::exchange {

namespace {

// What an editor would not show as it is: line separators, and characters that change the direction of writing.
constexpr auto kHidden =
    std::to_array<std::string_view>({"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
                                     "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"});

// In linear time: readers look at comments of any length.
void replace_all(std::string& text, std::string_view old, std::string_view now) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, copied)) {
    result.append(text, copied, at - copied).append(now);
    copied = at + old.size();
  }
  text = std::move(result.append(text, copied));
}

}  // namespace

std::string in_comment(std::string_view text) {
  std::string line = printable(text);
  for (const std::string_view hidden : kHidden) replace_all(line, hidden, "\ufffd");
  replace_all(line, "\\", "/");
  replace_all(line, "?\?/", "? ?/");  // the trigraph of a backslash
  // Between the two letters, so that no new pair comes about: "*/*" has both.
  replace_all(line, "*/", "* /");
  replace_all(line, "/*", "/ *");
  return line;
}

}  // namespace firn::exchange
