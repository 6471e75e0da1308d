#include "firn/base/checksum.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace firn {

struct Checksum::State {
  State() : hash(XXH3_createState()) {
    if (hash == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(hash);
  }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;

  XXH3_state_t* hash;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->hash, bytes.data(), bytes.size());
}

std::string Checksum::digits() const {
  return fmt::format("{:0{}x}", XXH3_64bits_digest(state_->hash), kDigits);
}

std::string checksum_of(std::span<const std::byte> bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.digits();
}

std::size_t find_own_digits(std::string_view text, std::string_view opening) {
  const std::size_t at = text.find(opening);
  if (at == std::string_view::npos || at + opening.size() + Checksum::kDigits > text.size())
    return std::string_view::npos;
  return at + opening.size();
}

std::string own_checksum(std::string text, std::size_t digits_at) {
  text.replace(digits_at, Checksum::kDigits, Checksum::kDigits, '0');
  return checksum_of(std::as_bytes(std::span(text)));
}

}  // namespace firn
