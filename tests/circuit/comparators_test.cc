#include "firn/circuit/comparators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "firn/base/random.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_netlists.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

const std::vector<float> kThresholds = {0.f,       -0.f,    0.5f,        -0.5f,   1.f,        -1.f,  127.996f, -128.f,
                                        127.99f,   3.1416f, -2.7183f,    1e-30f,  -kSmallest, 1e30f, -1e30f,   kLargest,
                                        -kLargest, 100.25f, 0.00390625f, -0.001f, kSmallest,  127.f, -127.999f};

// One threshold a row for a single feature, so that row t of a circuit of wires is bit t.
Encoder one_feature(const std::vector<float>& thresholds) {
  Matrix<float> matrix(thresholds.size(), 1);
  for (std::size_t t = 0; t < thresholds.size(); ++t) matrix[t][0] = thresholds[t];
  return Encoder::from_parts({"distributive", "reals", {1, 1, 1}, matrix});
}

// The circuit that passes its inputs on.
Netlist wires(std::size_t inputs) {
  Netlist netlist{inputs, {}, {}};
  for (std::size_t i = 0; i < inputs; ++i) netlist.outputs.push_back(netlist.input(i));
  return netlist;
}

// Bit planes of numbers, [bits][words].
Matrix<std::uint64_t> planes(const std::vector<std::uint32_t>& numbers, std::size_t bits) {
  Matrix<std::uint64_t> rows(bits, (numbers.size() + 63) / 64);
  for (std::size_t s = 0; s < numbers.size(); ++s)
    for (std::size_t b = 0; b < bits; ++b) rows[b][s / 64] |= (std::uint64_t{numbers[s]} >> b & 1) << s % 64;
  return rows;
}

// Compares the comparators' bits of every number with what the encoder says about its value.
void expect_bits_of_encoder(const Encoder& encoder, const InputFormat& format,
                            const std::vector<std::uint32_t>& numbers, const std::vector<float>& values) {
  const std::size_t thresholds = encoder.thresholds().rows();
  const auto found =
      simulate(with_comparators(wires(thresholds), comparators_of(encoder, format)), planes(numbers, format.bits()));
  Matrix<float> samples(values.size(), 1);
  for (std::size_t s = 0; s < values.size(); ++s) samples[s][0] = values[s];
  Matrix<std::uint64_t> expected(thresholds, found.cols());
  encoder.encode_bits(SampleBlock(samples, 0, values.size()), expected);
  for (std::size_t t = 0; t < thresholds; ++t)
    for (std::size_t s = 0; s < values.size(); ++s)
      ASSERT_EQ(found[t][s / 64] >> s % 64 & 1, expected[t][s / 64] >> s % 64 & 1)
          << name_of(format) << ": " << values[s] << " > " << encoder.thresholds()[t][0];
}

TEST(ComparatorsTest, FloatsGetTheBitsOfTheEncoder) {
  std::vector<float> values = {kInfinity, -kInfinity, std::nanf(""), -std::nanf(""), std::bit_cast<float>(0x7f800001u),
                               0.f,       -0.f};
  for (const float t : kThresholds)
    values.insert(values.end(), {t, -t, std::nextafter(t, kInfinity), std::nextafter(t, -kInfinity)});
  RandomSequence random(1, "test/floats");
  while (values.size() < 5000) {
    const std::uint32_t high = random.below(1u << 16), low = random.below(1u << 16);
    values.push_back(std::bit_cast<float>(high << 16 | low));
  }
  std::vector<std::uint32_t> numbers;
  for (const float v : values) numbers.push_back(std::bit_cast<std::uint32_t>(v));
  expect_bits_of_encoder(one_feature(kThresholds), parse_input_format("float32"), numbers, values);
}

TEST(ComparatorsTest, EveryFixedPointNumberGetsTheBitsOfItsValue) {
  for (const char* name :
       {"fixed:8.8", "fixed:1.7", "fixed:4.0", "fixed:1.1", "fixed:6.3", "fixed:3.13", "fixed:12.0"}) {
    const InputFormat format = parse_input_format(name);
    std::vector<std::uint32_t> numbers;
    std::vector<float> values;
    const std::int64_t half = std::int64_t{1} << (format.bits() - 1);
    for (std::int64_t v = -half; v < half; ++v) {
      numbers.push_back(static_cast<std::uint32_t>(v));
      values.push_back(std::ldexp(static_cast<float>(v), -static_cast<int>(format.fraction)));
    }
    expect_bits_of_encoder(one_feature(kThresholds), format, numbers, values);
  }
}

TEST(ComparatorsTest, WideFixedPointNumbersAreComparedExactly) {
  const InputFormat format = parse_input_format("fixed:8.24");
  const std::vector<float> thresholds = {0.1f, -0.1f, 127.99999f, -128.f, 128.f, -128.00002f};
  const Comparators comparators = comparators_of(one_feature(thresholds), format);
  EXPECT_EQ(comparators.limits[0], static_cast<std::int64_t>(std::floor(0.1f * 16777216.0)));
  EXPECT_EQ(comparators.limits[4], Comparators::kNever);
  EXPECT_EQ(comparators.limits[5], Comparators::kAlways);
  std::vector<std::uint32_t> numbers = {0x80000000u, 0x7fffffffu, 0u, 0xffffffffu};
  for (const std::int64_t limit : comparators.limits)
    for (const std::int64_t step : {-1, 0, 1}) numbers.push_back(static_cast<std::uint32_t>(limit + step));
  const auto found = simulate(with_comparators(wires(thresholds.size()), comparators), planes(numbers, 32));
  for (std::size_t t = 0; t < thresholds.size(); ++t)
    for (std::size_t s = 0; s < numbers.size(); ++s) {
      const double value = std::ldexp(static_cast<double>(static_cast<std::int32_t>(numbers[s])), -24);
      EXPECT_EQ((found[t][0] >> s & 1) != 0, value > static_cast<double>(thresholds[t])) << value;
    }
}

TEST(ComparatorsTest, WhatAFormatLosesIsCounted) {
  const Encoder encoder = one_feature({0.1f, 0.1f, 0.101f, 3.f, 200.f, -200.f});
  const FormatLoss loss = loss_of(encoder, parse_input_format("fixed:8.8"));
  EXPECT_EQ(loss.thresholds, 5u);  // 0.1 is there twice
  EXPECT_EQ(loss.outside, 2u);
  EXPECT_EQ(loss.merged, 1u);  // 0.1 and 0.101 are both 25 / 256 and a bit
  const FormatLoss none = loss_of(encoder, parse_input_format("float32"));
  EXPECT_EQ(none.outside + none.merged, 0u);
}

TEST(ComparatorsTest, FormatsAreRefusedByASentence) {
  for (const char* text : {"", "float", "float64", "fixed", "fixed:", "fixed:8", "fixed:8.", "fixed:.8", "fixed:8.8.8",
                           "fixed:a.8", "fixed:-1.8", "fixed: 8.8"})
    EXPECT_THAT(error_of([&] { parse_input_format(text); }), HasSubstr("choose uint8, float32 or fixed:I.F")) << text;
  for (const char* text : {"fixed:0.8", "fixed:1.0", "fixed:17.16", "fixed:33.0", "fixed:1.4000000000"})
    EXPECT_THAT(error_of([&] { parse_input_format(text); }), HasSubstr("2 to 32 bits")) << text;
  for (const char* text : {"uint8", "float32", "fixed:8.8", "fixed:16.16", "fixed:2.0"})
    EXPECT_EQ(name_of(parse_input_format(text)), text);
}

TEST(ComparatorsTest, TooManyInputsAreRefused) {
  const Comparators many{parse_input_format("float32"), std::size_t{1} << 22, {}};
  EXPECT_THAT(error_of([&] { with_comparators(wires(0), many); }), HasSubstr("more inputs than a circuit can have"));
}

TEST(ComparatorsTest, TheFormatMustSuitTheEncoder) {
  Matrix<float> thresholds(1, 1);
  const Encoder bytes = Encoder::from_parts({"distributive", "bytes", {4, 1, 1}, thresholds});
  const Encoder reals = Encoder::from_parts({"distributive", "reals", {4, 1, 1}, thresholds});
  EXPECT_EQ(name_of(natural_format(bytes)), "uint8");
  EXPECT_EQ(name_of(natural_format(reals)), "float32");
  EXPECT_THAT(error_of([&] { comparators_of(bytes, parse_input_format("float32")); }), HasSubstr("its input is uint8"));
  EXPECT_THAT(error_of([&] { comparators_of(reals, parse_input_format("uint8")); }), HasSubstr("real numbers"));
}

}  // namespace
}  // namespace firn
