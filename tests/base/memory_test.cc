#include "firn/base/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

TEST(Memory, IsWrittenWithItsUnit) {
  EXPECT_EQ(format_bytes(999), "999 bytes");
  EXPECT_EQ(format_bytes(1500), "1.5 kB");
  EXPECT_EQ(format_bytes(2.25e12), "2.2 TB");
  EXPECT_EQ(format_bytes(1e30), "1000000000000.0 EB");
}

TEST(Memory, MoreThanThereIsIsRefusedWithSizeAndKeys) {
  require_memory(1, "a byte", "model.width");
  EXPECT_THAT(error_of([] { require_memory(3e18, "the network", "model.width"); }),
              testing::AllOf(testing::HasSubstr("the network would need about 3.0 EB of memory, but "),
                             testing::HasSubstr("choose a smaller model.width")));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose shadow memory is beyond any limit
TEST(Memory, ALimitOfTheShellCounts) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const std::uint64_t wide = available_memory();
  rlimit tight = before;
  tight.rlim_cur = std::uint64_t{1} << 33;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  EXPECT_LE(available_memory(), tight.rlim_cur);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_GT(wide, 0U);
}
#endif

}  // namespace
}  // namespace firn
