#include <cstdio>

#include "firn/base/random.h"

int main() {
  firn::RandomSequence random(1, "client");
  std::printf("%u\n", random.below(6) + 1);
}
