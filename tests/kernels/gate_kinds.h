// Every kind of instruction, taken apart, and its value by the plain definition.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/kernels/circuit.h"

namespace firn {

inline std::uint64_t apply(int operation, std::uint64_t x, std::uint64_t y) {
  switch (operation) {
    case gate_kind::kAnd:
      return x & y;
    case gate_kind::kOr:
      return x | y;
    case gate_kind::kAndNot:
      return x & ~y;
    case gate_kind::kXor:
      return x ^ y;
    default:
      return ~x & y;
  }
}

struct KindCase {
  int kind, inner, second_inner, outer;
};

inline std::vector<KindCase> all_kinds() {
  std::vector<KindCase> cases;
  for (int x = 0; x < 4; ++x) {
    cases.push_back({gate_kind::gate(x), x, -1, -1});
    for (int outer = 0; outer < 5; ++outer) cases.push_back({gate_kind::chain(x, outer), x, -1, outer});
    for (int y = 0; y < 4; ++y)
      for (int outer = 0; outer < 4; ++outer)
        if (gate_kind::is_used(gate_kind::pair(x, y, outer)))
          cases.push_back({gate_kind::pair(x, y, outer), x, y, outer});
  }
  return cases;
}

// From what `row` gives for the number of an operand.
template <class Row>
std::uint64_t value_of(const KindCase& c, const Row& row) {
  const std::uint64_t value = apply(c.inner, row(0), row(1));
  switch (gate_kind::operands(c.kind)) {
    case 2:
      return value;
    case 3:
      return apply(c.outer, value, row(2));
    default:
      return apply(c.outer, value, apply(c.second_inner, row(2), row(3)));
  }
}

}  // namespace firn
