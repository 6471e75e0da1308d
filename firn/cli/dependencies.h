// The libraries that Firn was built with, as cmake/Sbom.cmake has found them.
#pragma once

#include <span>

namespace firn::cli {

struct Dependency {
  const char *name, *version, *license;
};

std::span<const Dependency> dependencies();

}  // namespace firn::cli
