#include "firn/base/value.h"

#include <fmt/format.h>

#include <cmath>

namespace firn {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\u{:04X}", code);
    else
      out += c;
  }
  return out + '"';
}

struct Writer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    if (std::isnan(value)) return "nan";
    const std::string digits = fmt::format("{}", value);  // the shortest that reads back the same
    const bool looks_integer = digits.find_first_not_of("-0123456789") == std::string::npos;
    return looks_integer ? digits + ".0" : digits;
  }
  std::string operator()(const std::string& value) const { return in_quotes(value); }
  std::string operator()(const std::vector<Scalar>& list) const {
    std::string out = "[";
    for (const Scalar& scalar : list) {
      if (out.size() > 1) out += ", ";
      out += std::visit(*this, scalar);
    }
    return out + "]";
  }
};

}  // namespace

std::string to_toml(const Value& value) {
  return std::visit(Writer{}, value);
}

std::string to_toml_key(std::string_view part) {
  const char* const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool is_bare = !part.empty() && part.find_first_not_of(bare) == std::string_view::npos;
  return is_bare ? std::string(part) : in_quotes(part);
}

}  // namespace firn
