// The inputs of a circuit under construction as wires, for tests that build on all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/circuit/builder.h"

namespace firn {

inline std::vector<Wire> inputs_of(const NetBuilder& builder, std::size_t count) {
  std::vector<Wire> wires;
  for (std::size_t i = 0; i < count; ++i) wires.push_back(builder.input(i));
  return wires;
}

}  // namespace firn
