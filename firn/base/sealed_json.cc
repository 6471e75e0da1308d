#include "firn/base/sealed_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/parse_json.h"

namespace firn {

namespace {

using nlohmann::json;

constexpr const char *kFormat = "format", *kChecksum = "checksum";

// How a member of the outermost object begins: line breaks within strings are escaped, so it can stand nowhere else.
std::string opening_of(std::string_view member) {
  return fmt::format("\n  \"{}\": \"", member);
}

// Where the digits of the checksum stand; npos: nowhere.
std::size_t find_digits(std::string_view text) {
  return find_own_digits(text, opening_of(kChecksum));
}

}  // namespace

std::string seal_json(json object, std::string_view format) {
  FIRN_CHECK(object.is_object() && !object.contains(kFormat) && !object.contains(kChecksum));
  object[kFormat] = format;
  object[kChecksum] = std::string(Checksum::kDigits, '0');
  std::string text = object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const std::size_t at = find_digits(text);
  return text.replace(at, Checksum::kDigits, own_checksum(text, at));
}

// Two members, so that no single flipped bit makes a file look like one that was written without a checksum.
bool is_sealed_json(std::string_view text) {
  return text.find(opening_of(kChecksum)) != std::string_view::npos ||
         text.find(opening_of(kFormat)) != std::string_view::npos;
}

json open_sealed_json(std::string_view text, const std::string& source, std::string_view advice) {
  const std::size_t at = find_digits(text);
  const bool matches =
      at != std::string_view::npos && text.substr(at, Checksum::kDigits) == own_checksum(std::string(text), at);
  if (is_sealed_json(text) && !matches)
    throw Error(fmt::format("{} is damaged: its checksum does not match; {}", source, advice));
  json object = parse_json(text);
  if (!object.is_object()) throw Error(fmt::format("{} is damaged: it is not a JSON object; {}", source, advice));
  if (!matches && object.contains(kChecksum))
    throw Error(fmt::format("{} was changed after it was written; {}", source, advice));
  if (matches) object.erase(kFormat), object.erase(kChecksum);
  return object;
}

}  // namespace firn
