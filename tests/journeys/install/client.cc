#include <cstdio>

#include "firn/base/random.h"
#include "firn/circuit/equivalence.h"

// Throws a die, and proves that two ways to write "a and b" are one: the proof needs a library behind Firn's own.
int main() {
  using namespace firn;
  const Netlist plain{2, {{Wire(1, false), Wire(2, false), Gate::kAnd, 0}}, {Wire(3, false)}};
  const Netlist twice{2,
                      {{Wire(1, false), Wire(2, true), Gate::kAnd, 0}, {Wire(1, false), Wire(3, true), Gate::kAnd, 0}},
                      {Wire(4, false)}};
  if (!check_equivalence(plain, twice).proved()) return 1;
  RandomSequence random(1, "client");
  std::printf("%u\n", random.below(6) + 1);
}
