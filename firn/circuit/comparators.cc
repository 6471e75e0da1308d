#include "firn/circuit/comparators.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/constant_comparison.h"
#include "firn/network/kind.h"

namespace firn::circuit {

namespace {

using Kind = InputFormat::Kind;

constexpr std::size_t kMostFixedBits = 32;
constexpr std::uint32_t kInfinity = 0x7f800000;  // as bits; magnitudes above it are not numbers

bool read_bits(std::string_view text, std::size_t& bits) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// The largest fixed-point number that is not above the threshold. Scaling by a power of two is exact in double.
std::int64_t fixed_limit(float threshold, const InputFormat& format) {
  const double limit = std::floor(std::ldexp(static_cast<double>(threshold), static_cast<int>(format.fraction)));
  const double half = std::ldexp(1.0, static_cast<int>(format.bits()) - 1);
  if (limit < -half) return Comparators::kAlways;
  if (limit >= half - 1) return Comparators::kNever;
  return static_cast<std::int64_t>(limit);
}

std::int64_t limit_of(float threshold, const InputFormat& format) {
  switch (format.kind) {
    case Kind::kByte:
      return static_cast<std::int64_t>(threshold);
    case Kind::kFloat:
      return std::bit_cast<std::uint32_t>(threshold == 0 ? 0.f : threshold);  // one zero is enough
    case Kind::kFixed:
      return fixed_limit(threshold, format);
  }
  FIRN_CHECK(false);
  return 0;
}

// Of the bits that are compared, which constants: those of a float without its sign, and otherwise all of them as a
// natural number.
std::size_t compared_bits(const InputFormat& format) {
  return format.kind == Kind::kFloat ? 31 : format.bits();
}

// With the sign turned round, two's complement is ordered like natural numbers. IEEE 754 orders magnitudes as their
// bits are ordered; above a negative limit is what is nearer to zero.
std::uint64_t constant_of(const InputFormat& format, std::int64_t limit) {
  if (format.kind == Kind::kFixed) return static_cast<std::uint64_t>(limit + (std::int64_t{1} << (format.bits() - 1)));
  if (format.kind == Kind::kByte) return static_cast<std::uint64_t>(limit);
  const auto bits = static_cast<std::uint32_t>(limit);
  const std::uint32_t size = bits & 0x7fffffff;
  return bits == size ? size : size - 1;
}

bool has_comparison(std::int64_t limit) {
  return limit != Comparators::kAlways && limit != Comparators::kNever;
}

// The wires of one feature and what its limits ask about them.
class FeatureBits {
 public:
  // `limits` are the feature's own.
  FeatureBits(NetBuilder& builder, const InputFormat& format, Word bits, std::span<const std::int64_t> limits,
              std::map<std::vector<std::uint64_t>, ConstantComparison>& known)
      : builder_(builder), format_(format), bits_(std::move(bits)) {
    if (format.kind == Kind::kFixed) bits_.back() = !bits_.back();
    std::set<std::uint64_t> constants;
    for (const std::int64_t limit : limits)
      if (has_comparison(limit)) constants.insert(constant_of(format, limit));
    if (format.kind == Kind::kFloat) constants.insert(kInfinity);
    const std::vector<std::uint64_t> list(constants.begin(), constants.end());
    const std::size_t compared = compared_bits(format);
    const auto found = known.try_emplace(list, compared, list).first;
    const Word results = found->second.build(builder, std::span(bits_).first(compared));
    for (std::size_t i = 0; i < list.size(); ++i) greater_.emplace(list[i], results[i]);
  }

  Wire is_above(std::int64_t limit) const {
    if (!has_comparison(limit)) return kFalse ^ (limit == Comparators::kAlways);
    const Wire greater = greater_.at(constant_of(format_, limit));
    return format_.kind == Kind::kFloat ? float_above(static_cast<std::uint32_t>(limit), greater) : greater;
  }

  Wire is_missing() const { return greater_.at(kInfinity); }  // of floats: what is not a number

 private:
  // What is not a number is above nothing, as in every language.
  Wire float_above(std::uint32_t limit, Wire greater) const {
    const Wire negative = bits_[31];
    const Wire positive_number = builder_.make_and(!negative, !is_missing());
    if (limit >> 31 == 0) return builder_.make_and(positive_number, greater);
    return builder_.make_or(positive_number, builder_.make_and(negative, !greater));
  }

  NetBuilder& builder_;
  const InputFormat& format_;
  Word bits_;
  std::map<std::uint64_t, Wire> greater_;  // constant -> whether the compared bits are greater
};

// Whether a missing value counts as one above limit i.
bool fill_is_above(const Comparators& comparators, std::size_t i) {
  if (comparators.fills.empty()) return false;
  const auto limit = std::bit_cast<float>(static_cast<std::uint32_t>(comparators.limits[i]));
  return comparators.fills[i % comparators.features] > limit;
}

void check_kind(const Encoder& encoder, const InputFormat& format) {
  const bool bytes = encoder.parts().values == "bytes";
  if (bytes && format.kind != Kind::kByte)
    throw Error(fmt::format("the encoder compares bytes, so its input is uint8, not {}", name_of(format)));
  if (!bytes && format.kind == Kind::kByte)
    throw Error("the encoder compares real numbers, so its input is float32 or fixed:I.F, not uint8");
}

}  // namespace

InputFormat parse_input_format(std::string_view text) {
  if (text == "uint8") return {Kind::kByte};
  if (text == "float32") return {Kind::kFloat};
  InputFormat format{Kind::kFixed};
  constexpr std::string_view kPrefix = "fixed:";
  const std::size_t dot = text.find('.');
  if (!text.starts_with(kPrefix) || dot == text.npos ||
      !read_bits(text.substr(kPrefix.size(), dot - kPrefix.size()), format.integer) ||
      !read_bits(text.substr(dot + 1), format.fraction))
    throw Error(
        fmt::format("\"{}\" is not a format of inputs; choose uint8, float32 or fixed:I.F, such as fixed:8.8", text));
  if (format.integer < 1 || format.integer > kMostFixedBits || format.fraction > kMostFixedBits || format.bits() < 2 ||
      format.bits() > kMostFixedBits)
    throw Error(fmt::format("{} is not a number of 2 to {} bits; choose I from 1 and I + F from 2 to {}", text,
                            kMostFixedBits, kMostFixedBits));
  return format;
}

std::string name_of(const InputFormat& format) {
  if (format.kind != Kind::kFixed) return format.kind == Kind::kByte ? "uint8" : "float32";
  return fmt::format("fixed:{}.{}", format.integer, format.fraction);
}

InputFormat natural_format(const Encoder& encoder) {
  return {encoder.parts().values == "bytes" ? Kind::kByte : Kind::kFloat};
}

Comparators comparators_of(const Encoder& encoder, const InputFormat& format) {
  check_kind(encoder, format);
  const Matrix<float>& thresholds = encoder.thresholds();
  Comparators result{format, encoder.input_shape().size(), {}};
  const std::size_t group = result.features / thresholds.cols();
  for (std::size_t t = 0; t < thresholds.rows(); ++t)
    for (std::size_t f = 0; f < result.features; ++f)
      result.limits.push_back(limit_of(thresholds[t][f / group], format));
  return result;
}

FormatLoss loss_of(const Encoder& encoder, const InputFormat& format) {
  const Matrix<float>& thresholds = encoder.thresholds();
  const std::size_t group = encoder.input_shape().size() / thresholds.cols();
  FormatLoss loss;
  for (std::size_t c = 0; c < thresholds.cols(); ++c) {
    std::set<float> different;
    for (std::size_t t = 0; t < thresholds.rows(); ++t) different.insert(thresholds[t][c]);
    std::set<std::int64_t> limits;
    std::size_t outside = 0;
    for (const float threshold : different) {
      const std::int64_t limit = limit_of(threshold, format);
      const bool is_inside = limit != Comparators::kAlways && limit != Comparators::kNever;
      is_inside ? void(limits.insert(limit)) : void(++outside);
    }
    loss.thresholds += group * different.size();
    loss.outside += group * outside;
    loss.merged += group * (different.size() - outside - limits.size());
  }
  return loss;
}

Netlist with_comparators(const Netlist& circuit, const Comparators& comparators) {
  const std::size_t bits = comparators.format.bits(), features = comparators.features;
  if (comparators.inputs() > kMaxFeatures)
    throw Error(fmt::format("{} features of {} bits are more inputs than a circuit can have", features, bits));
  FIRN_CHECK(comparators.fills.empty() ||
             (comparators.format.kind == Kind::kFloat && comparators.fills.size() == features));
  NetBuilder builder(comparators.inputs());
  std::vector<Wire> encoded(comparators.limits.size());
  std::map<std::vector<std::uint64_t>, ConstantComparison> known;  // features often have equal limits
  for (std::size_t f = 0; f < features; ++f) {
    Word value;
    for (std::size_t b = 0; b < bits; ++b) value.push_back(builder.input(bits * f + b));
    std::vector<std::int64_t> limits;
    for (std::size_t i = f; i < encoded.size(); i += features) limits.push_back(comparators.limits[i]);
    const FeatureBits feature(builder, comparators.format, std::move(value), limits, known);
    for (std::size_t i = f; i < encoded.size(); i += features) {
      encoded[i] = feature.is_above(comparators.limits[i]);
      if (fill_is_above(comparators, i)) encoded[i] = builder.make_or(encoded[i], feature.is_missing());
    }
  }
  std::vector<Wire> outputs = builder.embed(circuit, encoded);
  return std::move(builder).take(std::move(outputs));
}

}  // namespace firn::circuit
