#include "firn/encode/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "tests/support/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSamples = 70;

// Binary, so that every encoding takes it.
Dataset binary_data(const Shape& shape, bool reals) {
  Dataset data;
  data.name = "binary";
  data.shape = shape;
  data.train.labels.resize(kSamples);
  Matrix<std::uint8_t> bytes = random_bytes(kSamples, shape.size(), 1);
  Matrix<float> floats(kSamples, shape.size());
  for (std::size_t s = 0; s < kSamples; ++s)
    for (std::size_t f = 0; f < shape.size(); ++f) {
      const bool bit = bytes[s][f] & 1;
      bytes[s][f] = bit ? 255 : 0;
      floats[s][f] = bit ? 1.f : 0.f;
    }
  if (reals)
    data.train.reals = std::move(floats);
  else
    data.train.bytes = std::move(bytes);
  return data;
}

bool encoded_bit(const Matrix<std::uint64_t>& bits, std::size_t feature, std::size_t sample) {
  return (bits[feature][sample / 64] >> (sample % 64)) & 1;
}

// Bits must be the rows rounded, for any encoding.
void expect_bits_are_rows(const Encoder& encoder, const Examples& examples, std::size_t count, std::size_t border) {
  const RowLayout layout{encoder.output_shape(), border};
  Matrix<float> rows(layout.rows(), count);
  Matrix<std::uint64_t> bits(layout.shape.size(), (count + 63) / 64);
  encoder.encode_rows(SampleBlock::of(examples, 0, count), layout, rows);
  encoder.encode_bits(SampleBlock::of(examples, 0, count), bits);
  for (std::size_t f = 0; f < bits.rows(); ++f) {
    const float* row = rows.row(layout.row_of_feature(f));
    for (std::size_t s = 0; s < 64 * bits.cols(); ++s)
      ASSERT_EQ(encoded_bit(bits, f, s), s < count && row[s] >= 0.5f)
          << encoder.parts().encoding << " " << f << " " << s;
    for (std::size_t s = count; s < rows.stride(); ++s) ASSERT_EQ(row[s], 0.f);
  }
}

TEST(Encoder, BitsAreRowsForEveryEncodingCountAndTarget) {
  for (const Encoding& encoding : encodings())
    for (bool reals : {false, true}) {
      const Dataset data = binary_data({3, 3, 5}, reals);
      const Encoder encoder = fit_encoder({std::string(encoding.name), 2, "channel"}, data, first_indices(kSamples));
      each_target([&](const char*) {
        for (std::size_t count : {1, 15, 16, 17, 63, 64, 65}) expect_bits_are_rows(encoder, data.train, count, 1);
      });
    }
}

TEST(Encoder, BitsAreRowsForManyValues) {
  Dataset data = byte_data({3, 4, 4}, {});
  data.train.bytes = random_bytes(kSamples, data.shape.size(), 2);
  data.train.labels.resize(kSamples);
  for (const char* encoding : {"uniform", "distributive", "raw"})
    for (const char* scope : {"global", "channel", "feature"})
      expect_bits_are_rows(fit_encoder({encoding, 7, scope}, data, first_indices(kSamples)), data.train, kSamples, 0);
}

TEST(Encoder, BitsAreRowsForManyFloats) {
  Dataset data = byte_data({3, 5, 5}, {});
  Matrix<float> reals(kSamples, data.shape.size());
  const Matrix<std::uint8_t> bytes = random_bytes(kSamples, data.shape.size(), 3);
  for (std::size_t s = 0; s < kSamples; ++s)
    for (std::size_t f = 0; f < data.shape.size(); ++f) reals[s][f] = static_cast<float>(bytes[s][f]) / 7.f - 9.f;
  data.train.bytes = {};
  data.train.reals = std::move(reals);
  data.train.labels.resize(kSamples);
  for (const char* encoding : {"uniform", "distributive"})
    for (const char* scope : {"global", "channel", "feature"})
      expect_bits_are_rows(fit_encoder({encoding, 7, scope}, data, first_indices(kSamples)), data.train, kSamples, 0);
}

TEST(Encoder, ChannelsAreThresholdMajor) {
  const Dataset data = byte_data({2, 1, 2}, {{100, 30, 200, 70}});
  const Encoder encoder = fit_encoder({"uniform", 3, "global"}, data, first_indices(1));
  EXPECT_EQ(encoder.output_shape(), (Shape{6, 1, 2}));
  const RowLayout layout{encoder.output_shape(), 1};
  Matrix<float> rows(layout.rows(), 1);
  encoder.encode_rows(SampleBlock::of(data.train, 0, 1), layout, rows);
  // Above 63: 100, 200 and 70; above 127 and 191: 200 only.
  const float expected[6][2] = {{1, 0}, {1, 1}, {0, 0}, {1, 0}, {0, 0}, {1, 0}};
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t x = 0; x < 2; ++x) EXPECT_EQ(rows[layout.row(c, 0, x)][0], expected[c][x]) << c << " " << x;
}

TEST(Encoder, BorderRowsAreLeftAlone) {
  for (bool reals : {false, true})
    for (const char* encoding : {"uniform", "raw"}) {
      const Dataset data = binary_data({1, 2, 2}, reals);
      const Encoder encoder = fit_encoder({encoding, 1, "global"}, data, first_indices(kSamples));
      const RowLayout layout{encoder.output_shape(), 1};
      Matrix<float> rows(layout.rows(), 3);
      for (std::size_t r = 0; r < rows.rows(); ++r) rows[r][0] = 9.f;
      encoder.encode_rows(SampleBlock::of(data.train, 0, 3), layout, rows);
      std::size_t untouched = 0;
      for (std::size_t r = 0; r < rows.rows(); ++r) untouched += rows[r][0] == 9.f;
      EXPECT_EQ(untouched, 12u);
    }
}

TEST(Encoder, RawRowsHoldTheValues) {
  const Dataset data = byte_data({3, 1, 1}, {{0, 51, 255}});
  const Encoder encoder = fit_encoder({"raw", 3, "global"}, data, first_indices(1));
  EXPECT_FALSE(encoder.is_binary());
  EXPECT_EQ(encoder.output_shape(), data.shape);
  Matrix<float> rows(3, 1);
  encoder.encode_rows(SampleBlock::of(data.train, 0, 1), {encoder.output_shape(), 0}, rows);
  EXPECT_EQ(rows[0][0], 0.f);
  EXPECT_EQ(rows[1][0], 0.2f);
  EXPECT_EQ(rows[2][0], 1.f);
}

TEST(Encoder, ABlockMayStartAnywhere) {
  const Dataset data = byte_data({1, 1, 1}, {{0}, {0}, {200}, {0}});
  const Encoder encoder = fit_encoder({"uniform", 1, "global"}, data, first_indices(4));
  Matrix<std::uint64_t> bits(1, 1);
  encoder.encode_bits(SampleBlock::of(data.train, 1, 3), bits);
  EXPECT_EQ(bits[0][0], 0b010u);
}

TEST(Encoder, PartsRebuildIt) {
  Dataset data = byte_data({3, 4, 4}, {});
  data.train.bytes = random_bytes(kSamples, data.shape.size(), 4);
  data.train.labels.resize(kSamples);
  for (const char* scope : {"global", "channel", "feature"}) {
    const Encoder encoder = fit_encoder({"distributive", 3, scope}, data, first_indices(kSamples));
    const Encoder rebuilt = Encoder::from_parts(encoder.parts());
    EXPECT_EQ(rebuilt.output_shape(), encoder.output_shape());
    EXPECT_TRUE(rebuilt.is_binary());
    Matrix<std::uint64_t> a(encoder.output_shape().size(), 2), b = a;
    encoder.encode_bits(SampleBlock::of(data.train, 0, kSamples), a);
    rebuilt.encode_bits(SampleBlock::of(data.train, 0, kSamples), b);
    for (std::size_t f = 0; f < a.rows(); ++f) ASSERT_TRUE(std::ranges::equal(a[f], b[f])) << scope << " " << f;
  }
}

TEST(Encoder, RefusesPartsThatDoNotFit) {
  const auto refusal = [](const std::string& encoding, const std::string& values, Matrix<float> thresholds) {
    return error_or_none([&] { Encoder::from_parts({encoding, values, {3, 2, 2}, std::move(thresholds)}); });
  };
  EXPECT_EQ(refusal("uniform", "bytes", matrix_of<float>({{70}})), kNoError);
  EXPECT_THAT(refusal("uniform", "bytes", matrix_of<float>({{70.5f}})), HasSubstr("threshold 70.5"));
  EXPECT_EQ(refusal("uniform", "reals", matrix_of<float>({{70.5f}})), kNoError);
  EXPECT_THAT(refusal("uniform", "bytes", matrix_of<float>({{256}})), HasSubstr("threshold 256"));
  EXPECT_THAT(refusal("uniform", "reals", matrix_of<float>({{std::numeric_limits<float>::infinity()}})),
              HasSubstr("threshold inf"));
  EXPECT_THAT(refusal("uniform", "words", matrix_of<float>({{70}})), HasSubstr("\"words\""));
  EXPECT_THAT(refusal("unifrom", "bytes", matrix_of<float>({{70}})),
              HasSubstr("no encoding \"unifrom\"; choose uniform, distributive, foreground, passthrough or raw"));
  EXPECT_THAT(refusal("uniform", "bytes", Matrix<float>(0, 1)), HasSubstr("0 thresholds"));
  EXPECT_THAT(refusal("raw", "bytes", matrix_of<float>({{70}, {80}})), HasSubstr("the encoding \"raw\" has one"));
  EXPECT_THAT(refusal("uniform", "bytes", matrix_of<float>({{1, 2}})), HasSubstr("2 columns of thresholds"));
}

// The number of features must be known to be small before anything is computed or allocated with it.
TEST(Encoder, RefusesMoreBitsThanThereCanBe) {
  const auto refusal = [](const Shape& shape, std::size_t rows, std::size_t cols) {
    return error_or_none([&] { Encoder::from_parts({"uniform", "bytes", shape, Matrix<float>(rows, cols)}); });
  };
  constexpr std::size_t kMost = std::size_t{1} << 26;
  EXPECT_EQ(refusal({1, 1000, 1}, 2, 1), kNoError);
  for (const Shape& shape : {Shape{1, 20'000'000'000, 1}, Shape{999, 4727093576446091307, 1},  // 1997 modulo 2^64
                             Shape{1, kMost, 2}, Shape{kMost, kMost, kMost}, Shape{0, 1, 1}})
    for (const std::size_t cols : {1, 999, 1997})
      EXPECT_THAT(refusal(shape, 1, cols), HasSubstr("there must be 1 to 67108864")) << shape.height;
  EXPECT_THAT(refusal({1, kMost, 1}, 2, 1), HasSubstr("there must be 1 to 67108864"));
}

TEST(Encoder, RefusesImpossibleSettings) {
  const Dataset data = byte_data({1, 1, 1}, {{0}});
  const auto refusal = [&](const EncodeSettings& settings) {
    return error_or_none([&] { fit_encoder(settings, data, first_indices(1)); });
  };
  EXPECT_EQ(refusal({}), kNoError);
  EXPECT_THAT(refusal({"distributive", 0, "global"}), HasSubstr("encode.thresholds is 0; choose 1 to 255"));
  EXPECT_THAT(refusal({"distributive", 256, "global"}), HasSubstr("encode.thresholds is 256"));
  EXPECT_THAT(refusal({"distributive", 3, "pixel"}), HasSubstr("encode.scope is \"pixel\"; choose global, channel"));
  EXPECT_THAT(error_of([&] { fit_encoder({}, data, {}); }), HasSubstr("toy has no training examples"));
}

TEST(Encoder, RefusesValuesThatAreNotNumbers) {
  const Dataset data = real_data({1, 1, 1}, {{0}, {std::numeric_limits<float>::quiet_NaN()}});
  EXPECT_THAT(error_of([&] { fit_encoder({}, data, first_indices(2)); }),
              HasSubstr("toy: training example 1 has the value nan"));
}

}  // namespace
}  // namespace firn
