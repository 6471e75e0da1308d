// Text from outside in the comments of a file.
#pragma once

#include <string>
#include <string_view>

namespace firn::exchange {

// The text on one line, such that it neither ends nor opens a comment in any format, continues no line, and shows
// itself in the order in which it is written. Such a text is left as it is.
std::string in_comment(std::string_view text);

}  // namespace firn::exchange
