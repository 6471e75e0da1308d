#include "firn/base/parse_json.h"

#include <nlohmann/json.hpp>

namespace firn {

nlohmann::json parse_json(std::string_view text) {
  using nlohmann::json;
  bool is_too_deep = false;
  const auto keep_shallow = [&](int depth, json::parse_event_t, json&) {
    is_too_deep = is_too_deep || depth > kDeepestJson;
    return !is_too_deep;
  };
  json value = json::parse(text, keep_shallow, /*allow_exceptions=*/false);
  return is_too_deep ? json(json::value_t::discarded) : value;
}

}  // namespace firn
