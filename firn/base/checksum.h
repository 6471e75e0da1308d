// Checksums of what Firn stores and reads back: sixteen hexadecimal digits that change with every flipped bit.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

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

}  // namespace firn
