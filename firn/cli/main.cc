#include <fmt/core.h>

int main() {
  fmt::print("firn\n");
}
