// Which values share their thresholds: all of them, those of a channel, or those of a single feature.
#pragma once

#include <cstddef>
#include <string_view>

#include "firn/base/shape.h"

namespace firn::encode {

enum class Scope { kGlobal, kChannel, kFeature };

// "global", "channel" or "feature"; anything else is an Error.
Scope parse_scope(std::string_view name);

constexpr std::size_t group_count(Scope scope, const Shape& shape) {
  return scope == Scope::kGlobal ? 1 : scope == Scope::kChannel ? shape.channels : shape.size();
}

// Features are numbered channel by channel, so the features of a group are consecutive.
constexpr std::size_t group_size(Scope scope, const Shape& shape) {
  return shape.size() / group_count(scope, shape);
}

}  // namespace firn::encode
