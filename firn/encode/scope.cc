#include "firn/encode/scope.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn::encode {

Scope parse_scope(std::string_view name) {
  if (name == "global") return Scope::kGlobal;
  if (name == "channel") return Scope::kChannel;
  if (name == "feature") return Scope::kFeature;
  throw Error(fmt::format("encode.scope is \"{}\"; choose global, channel or feature", name));
}

}  // namespace firn::encode
