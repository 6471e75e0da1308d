// The comparators of an encoder as gates: numbers arrive as bits in some format, and each is compared with constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "firn/circuit/netlist.h"
#include "firn/encode/encoder.h"

namespace firn::circuit {

// How a feature arrives. Fixed point is signed, in two's complement: the integer bits include the sign, and the number
// that the bits stand for is divided by 2^fraction.
struct InputFormat {
  enum class Kind : std::uint8_t { kByte, kFloat, kFixed };
  Kind kind = Kind::kByte;
  std::size_t integer = 0, fraction = 0;  // bits, of kFixed

  std::size_t bits() const { return kind == Kind::kByte ? 8 : kind == Kind::kFloat ? 32 : integer + fraction; }
  friend bool operator==(const InputFormat&, const InputFormat&) = default;
};

InputFormat parse_input_format(std::string_view text);  // "uint8", "float32" or "fixed:I.F"
std::string name_of(const InputFormat& format);

// The format of the values that the encoder was fitted on: bytes, or floats.
InputFormat natural_format(const Encoder& encoder);

// Bit t * features + f is 1 where feature f is above limits[t * features + f]. A limit is a number in the format:
// a byte, the bits of a float, or a fixed-point number as an integer. Each limit is the largest number that is not
// above the encoder's threshold, so that whatever the format can express gets the bits that the encoder gives it.
struct Comparators {
  static constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::min();  // every number is above it
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();   // no number is

  InputFormat format;
  std::size_t features = 0;
  std::vector<std::int64_t> limits;
  // Of floats, [feature]: the number that NaN, a missing value, counts as; the lowest float is above no limit, so that
  // it stands for none. Empty: NaN is above nothing.
  std::vector<float> fills = {};

  std::size_t inputs() const { return features * format.bits(); }
  friend bool operator==(const Comparators&, const Comparators&) = default;
};

// An Error where the encoder compares values of another kind.
Comparators comparators_of(const Encoder& encoder, const InputFormat& format);

// What a format costs: thresholds that no number of the format can tell apart any more.
struct FormatLoss {
  std::size_t thresholds = 0;  // different ones, of all features
  std::size_t outside = 0;     // beyond the smallest or the largest number
  std::size_t merged = 0;      // equal to another one of the same feature after rounding
};
FormatLoss loss_of(const Encoder& encoder, const InputFormat& format);

// The inputs of the circuit become the bits of the features: feature by feature, the least significant bit first. The
// result is not simplified. An Error where that would be more inputs than a circuit can have.
Netlist with_comparators(const Netlist& circuit, const Comparators& comparators);

}  // namespace firn::circuit
