#include "firn/base/checksum.h"

#include <gtest/gtest.h>

#include <string_view>

namespace firn {
namespace {

std::span<const std::byte> view_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Checksum, IsXxh3) {
  EXPECT_EQ(checksum_of({}), "2d06800538d394c2");  // as xxhsum -H3 prints it
  EXPECT_EQ(checksum_of(view_of("firn")).size(), Checksum::kDigits);
}

TEST(Checksum, DoesNotDependOnThePiecesItIsGiven) {
  Checksum checksum;
  checksum.add(view_of("granular "));
  checksum.add({});
  checksum.add(view_of("snow"));
  EXPECT_EQ(checksum.digits(), checksum_of(view_of("granular snow")));
  EXPECT_NE(checksum.digits(), checksum_of(view_of("granular Snow")));
}

}  // namespace
}  // namespace firn
