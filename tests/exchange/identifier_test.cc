#include "firn/exchange/identifier.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(Identifier, IsWhatCAndVerilogAccept) {
  EXPECT_EQ(identifier("net_7"), "net_7");
  EXPECT_EQ(identifier("my net.v2"), "my_net_v2");
  EXPECT_EQ(identifier("7"), "circuit_7");
  EXPECT_EQ(identifier(""), "circuit_");
}

TEST(Identifier, IsNoReservedWord) {
  for (const char* word : {"module", "wire", "int", "logic", "class", "main", "xor", "const_cast", "uint8_t", "size_t",
                           "memcpy", "stdout"})
    EXPECT_EQ(identifier(word), std::string("circuit_") + word);
  EXPECT_EQ(identifier("modules"), "modules");
}

}  // namespace
}  // namespace firn
