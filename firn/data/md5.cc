#include "firn/data/md5.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "firn/base/error.h"

namespace firn::data {

std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) != 1)
    throw Error("this system's OpenSSL refuses MD5, so data cannot be checked; allow MD5 in its configuration");
  std::string hex;
  for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace firn::data
