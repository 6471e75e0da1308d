// Checksums of what Firn stores and reads back: sixteen hexadecimal digits that change with every flipped bit.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// XXH3 with 64 bits: it guards against accidents, not against forgers.
class Checksum {
 public:
  static constexpr std::size_t kDigits = 16;

  Checksum();
  ~Checksum();

  void add(std::span<const std::byte> bytes);
  std::string digits() const;  // of everything that was added so far

 private:
  struct State;  // keeps the library out of this header

  std::unique_ptr<State> state_;
};

std::string checksum_of(std::span<const std::byte> bytes);

// A checksum that stands in the text it covers is computed with zeros in its own place. Its digits begin right after
// the first `opening`; npos where they do not fit there.
std::size_t find_own_digits(std::string_view text, std::string_view opening);
std::string own_checksum(std::string text, std::size_t digits_at);

}  // namespace firn
