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
  for (const char* word :
       {"module",   "wire",          "int",        "logic", "class",    "main",     "xor",      "const_cast", "uint8_t",
        "size_t",   "memcpy",        "stdout",     "_Bool", "_Generic", "__LINE__", "__func__", "_start",     "typeof",
        "UINT64_C", "uint_least8_t", "INT8_WIDTH", "linux", "unix",     "co_await", "concept",  "char8_t",    "bitand",
        "exit",     "malloc",        "index",      "fmin",  "fminf",    "signbitl", "std"})
    EXPECT_EQ(identifier(word), std::string("circuit_") + word);
  for (const char* word : {"modules", "co", "in", "malloc2", "al", "net_", "a__b", "intent", "int_to_t_MAX", "MAX"})
    EXPECT_EQ(identifier(word), word);
}

TEST(Identifier, NamesThatAreLegalAreRead) {
  for (const char* word : {"net_7", "index", "log", "logf", "exit", "_net", "_", "intent", "mips", "requires"})
    EXPECT_TRUE(is_accepted_name(word)) << word;
  for (const char* word : {"module", "wire", "int", "memset", "const_cast", "uint_least8_t"})
    EXPECT_FALSE(is_accepted_name(word)) << word;
}

}  // namespace
}  // namespace firn
