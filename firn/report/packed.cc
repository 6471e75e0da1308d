#include "firn/report/packed.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <bit>
#include <vector>

#include "firn/base/error.h"

namespace firn::report {
namespace {

std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<std::uint8_t> out(size);
  FIRN_CHECK(compress2(out.data(), &size, bytes.data(), bytes.size(), Z_BEST_COMPRESSION) == Z_OK);
  out.resize(size);
  return out;
}

}  // namespace

std::string packed(std::span<const std::uint8_t> bytes) {
  const std::vector<std::uint8_t> small = deflated(bytes);
  std::string text((small.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
  const int written =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), small.data(), static_cast<int>(small.size()));
  text.resize(static_cast<std::size_t>(written));
  return text;
}

std::string packed(std::span<const std::uint32_t> numbers) {
  std::vector<std::uint8_t> planes;
  planes.reserve(4 * numbers.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    for (const std::uint32_t number : numbers) planes.push_back(static_cast<std::uint8_t>(number >> shift));
  return packed(std::span<const std::uint8_t>(planes));
}

std::string packed(std::span<const float> numbers) {
  std::vector<std::uint32_t> bits;
  bits.reserve(numbers.size());
  for (const float number : numbers) bits.push_back(std::bit_cast<std::uint32_t>(number));
  return packed(std::span<const std::uint32_t>(bits));
}

}  // namespace firn::report
