// Counter-based random numbers: every value is a function of (seed, stream, index), so results never depend on the
// order of calls or on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

// A stream is named by what it is for ("wiring/conv1"); different names give independent streams.
constexpr std::uint64_t stream_id(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Random access: block(i) is the i-th group of four 32-bit words of the stream.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  Random(std::uint64_t seed, std::string_view stream) : Random(seed, stream_id(stream)) {}

  std::array<std::uint32_t, 4> block(std::uint64_t index) const;

 private:
  std::uint64_t seed_, stream_;
};

// Sequential reading of a stream, from a position that can be stored and restored.
class RandomSequence {
 public:
  explicit RandomSequence(Random random, std::uint64_t position = 0) : random_(random), position_(position) {}
  RandomSequence(std::uint64_t seed, std::string_view stream) : RandomSequence(Random(seed, stream)) {}

  std::uint32_t next();
  std::uint32_t below(std::uint32_t n);                 // uniform in 0..n-1, without bias; n > 0
  float uniform();                                      // in [0, 1), 24 bits
  double uniform_double();                              // in [0, 1), 53 bits
  float normal();                                       // mean 0, variance 1
  std::uint64_t position() const { return position_; }  // counted in 32-bit words

 private:
  Random random_;
  std::uint64_t position_;
};

// Uniformly random order of 0..n-1.
std::vector<std::uint32_t> permutation(std::uint32_t n, RandomSequence& random);

}  // namespace firn
