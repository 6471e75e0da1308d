#include "firn/study/toml_text.h"

namespace firn::study {
namespace {

// Calls `take` with the value of a scalar; false if the node is none.
template <class Take>
bool take_scalar(const toml::node& node, Take take) {
  return node.visit([&](const auto& v) {
    using Node = decltype(v);
    constexpr bool kScalar =
        toml::is_boolean<Node> || toml::is_integer<Node> || toml::is_floating_point<Node> || toml::is_string<Node>;
    if constexpr (kScalar) take(v.get());
    return kScalar;
  });
}

}  // namespace

std::optional<Value> to_value(const toml::node& node) {
  std::optional<Value> value;
  if (take_scalar(node, [&](const auto& v) { value.emplace(v); })) return value;
  const toml::array* array = node.as_array();
  if (!array) return std::nullopt;
  std::vector<Scalar> list;
  for (const toml::node& element : *array)
    if (!take_scalar(element, [&](const auto& v) { list.emplace_back(v); })) return std::nullopt;
  return list;
}

}  // namespace firn::study
