#include "firn/report/packed.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <vector>

namespace firn {
namespace {

// The way back, as a page goes it.
std::vector<std::uint8_t> unpacked(const std::string& text, std::size_t size) {
  std::vector<std::uint8_t> small(text.size()), bytes(size);
  EXPECT_EQ(
      EVP_DecodeBlock(small.data(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size())),
      static_cast<int>(text.size() / 4 * 3));
  uLongf length = bytes.size();
  EXPECT_EQ(uncompress(bytes.data(), &length, small.data(), small.size()), Z_OK);
  EXPECT_EQ(length, size);
  return bytes;
}

TEST(Packed, BytesComeBack) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1000}}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * i);
    EXPECT_EQ(unpacked(packed(std::span<const std::uint8_t>(bytes)), size), bytes) << size;
  }
}

TEST(Packed, NumbersLieInPlanes) {
  const std::vector<std::uint32_t> numbers = {0x04030201, 0x14131211};
  EXPECT_EQ(unpacked(packed(std::span<const std::uint32_t>(numbers)), 8),
            (std::vector<std::uint8_t>{0x01, 0x11, 0x02, 0x12, 0x03, 0x13, 0x04, 0x14}));
  const std::vector<float> reals = {1.0f};  // 0x3f800000
  EXPECT_EQ(unpacked(packed(std::span<const float>(reals)), 4), (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f}));
}

}  // namespace
}  // namespace firn
