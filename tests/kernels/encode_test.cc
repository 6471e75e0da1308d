#include "firn/kernels/encode.h"
#include "firn/kernels/encode_reals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tests/support/each_target.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

constexpr std::size_t kThresholds = 3;
constexpr Shape kInput = {2, 5, 7};  // 70 features: four tiles and a rest
constexpr Shape kOutput = {kThresholds * 2, 5, 7};
constexpr float kUntouched = -7.f;

Matrix<std::uint8_t> edge_thresholds() {
  Matrix<std::uint8_t> thresholds = random_bytes(kThresholds, kInput.size(), 5);
  thresholds[0][0] = 0;
  thresholds[1][0] = 255;
  return thresholds;
}

Matrix<float> filled(std::size_t rows, std::size_t cols) {
  Matrix<float> matrix(rows, cols);
  std::fill_n(matrix.data(), matrix.rows() * matrix.stride(), kUntouched);
  return matrix;
}

// What the row of each feature must hold; border rows stay as they were.
template <class Value>
Matrix<float> expected_rows(const RowLayout& layout, std::size_t count, std::size_t cols, const Value& value) {
  Matrix<float> rows = filled(layout.rows(), cols);
  for (std::size_t f = 0; f < layout.shape.size(); ++f) {
    float* row = rows.row(layout.row_of_feature(f));
    for (std::size_t s = 0; s < rows.stride(); ++s) row[s] = s < count ? value(s, f) : 0.f;
  }
  return rows;
}

void expect_same(const Matrix<float>& a, const Matrix<float>& b, const std::string& where) {
  ASSERT_EQ(a.stride(), b.stride());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t s = 0; s < a.stride(); ++s)
      ASSERT_EQ(a.row(r)[s], b.row(r)[s]) << where << " row " << r << " sample " << s;
}

TEST(EncodeKernel, RowsMatchTheSlowLoopOnEveryTarget) {
  const Matrix<std::uint8_t> thresholds = edge_thresholds();
  each_target([&](const char* target) {
    for (std::size_t count : {1, 15, 16, 17, 63, 64, 65})
      for (std::size_t border : {0, 1, 2}) {
        const Matrix<std::uint8_t> values = random_bytes(count + 1, kInput.size(), count);
        const RowLayout layout{kOutput, border};
        Matrix<float> rows = filled(layout.rows(), count + 20);
        threshold_rows(Samples(values, 1, count), thresholds, layout, rows);
        const auto slow = [&](std::size_t s, std::size_t f) {
          return values[s + 1][f % kInput.size()] > thresholds[f / kInput.size()][f % kInput.size()] ? 1.f : 0.f;
        };
        expect_same(rows, expected_rows(layout, count, count + 20, slow), target);
      }
  });
}

TEST(EncodeKernel, UnitRowsAreExactQuotientsOnEveryTarget) {
  Matrix<std::uint8_t> values(256, kInput.size());
  for (std::size_t s = 0; s < values.rows(); ++s)
    for (std::size_t f = 0; f < values.cols(); ++f) values[s][f] = static_cast<std::uint8_t>(s + f);
  const RowLayout layout{kInput, 1};
  each_target([&](const char* target) {
    for (std::size_t count : {1, 17, 256}) {
      Matrix<float> rows = filled(layout.rows(), count);
      unit_rows(Samples(values, 0, count), layout, rows);
      const auto slow = [&](std::size_t s, std::size_t f) { return static_cast<float>(values[s][f]) / 255.f; };
      expect_same(rows, expected_rows(layout, count, count, slow), target);
    }
  });
}

TEST(EncodeKernel, BitsMatchTheSlowLoopOnEveryTarget) {
  const Matrix<std::uint8_t> thresholds = edge_thresholds();
  each_target([&](const char* target) {
    for (std::size_t count : {1, 15, 16, 17, 63, 64, 65}) {
      const Matrix<std::uint8_t> values = random_bytes(count, kInput.size(), count);
      Matrix<std::uint64_t> bits(kOutput.size(), 3);
      for (std::size_t r = 0; r < bits.rows(); ++r) std::ranges::fill(bits[r], ~std::uint64_t{0});
      threshold_bits(Samples(values, 0, count), thresholds, bits);
      for (std::size_t f = 0; f < bits.rows(); ++f)
        for (std::size_t s = 0; s < 3 * 64; ++s) {
          const std::size_t t = f / kInput.size(), i = f % kInput.size();
          const bool expected = s < count && values[s][i] > thresholds[t][i];
          ASSERT_EQ((bits[f][s / 64] >> (s % 64)) & 1, expected) << target << " feature " << f << " sample " << s;
        }
    }
  });
}

// More features than a square has, more thresholds than one pass compares, and rows of every width.
TEST(EncodeKernel, BitsOfEveryRowWidthMatchTheSlowLoopOnEveryTarget) {
  constexpr std::size_t kFeatures = 150, kMany = 6;
  Matrix<std::uint8_t> thresholds(kMany, kFeatures);
  for (std::size_t t = 0; t < kMany; ++t)
    for (std::size_t f = 0; f < kFeatures; ++f) thresholds[t][f] = static_cast<std::uint8_t>(40 * t + f % 40);
  each_target([&](const char* target) {
    for (std::size_t words : {1, 2, 4, 8, 12, 16})
      for (std::size_t count : {std::size_t{1}, 64 * words - 7, 64 * words}) {
        const Matrix<std::uint8_t> values = random_bytes(count, kFeatures, count);
        Matrix<std::uint64_t> bits(kMany * kFeatures + 1, words, 8);
        for (std::size_t r = 0; r < bits.rows(); ++r) std::ranges::fill(bits[r], ~std::uint64_t{0});
        threshold_bits(Samples(values, 0, count), thresholds, bits);
        for (std::size_t r = 0; r < kMany * kFeatures; ++r)
          for (std::size_t s = 0; s < 64 * words; ++s) {
            const std::size_t t = r / kFeatures, f = r % kFeatures;
            const bool expected = s < count && values[s][f] > thresholds[t][f];
            ASSERT_EQ((bits[r][s / 64] >> (s % 64)) & 1, expected) << target << " row " << r << " sample " << s;
          }
        for (const std::uint64_t word : bits[kMany * kFeatures]) ASSERT_EQ(word, ~std::uint64_t{0}) << target;
      }
  });
}

// Values in the memory of a caller, which ends with the last feature; some are equal to their threshold.
TEST(EncodeKernel, BitsOfFloatsMatchTheSlowLoopOnEveryTarget) {
  constexpr std::size_t kMany = 5;
  each_target([&](const char* target) {
    for (std::size_t features : {1, 4, 63, 64, 70, 130})
      for (std::size_t words : {1, 2, 4, 8})
        for (std::size_t count : {std::size_t{1}, 64 * words - 7, 64 * words}) {
          const Matrix<std::uint8_t> bytes = random_bytes(count + kMany, features, features);
          const auto memory = std::make_unique<float[]>(count * features);
          for (std::size_t i = 0; i < count * features; ++i)
            memory[i] = static_cast<float>(bytes[i / features][i % features] % 16) - 8.f;
          Matrix<float> thresholds(kMany, features, 64 * sizeof(float));
          for (std::size_t t = 0; t < kMany; ++t)
            for (std::size_t f = 0; f < features; ++f)
              thresholds[t][f] = static_cast<float>(bytes[count + t][f] % 16) - 8.f;
          Matrix<std::uint64_t> bits(kMany * features, words, 8);
          for (std::size_t r = 0; r < bits.rows(); ++r) std::ranges::fill(bits[r], ~std::uint64_t{0});
          threshold_bits(Samples(MatrixView<float>::borrow(memory.get(), count, features), 0, count), thresholds, bits);
          for (std::size_t r = 0; r < bits.rows(); ++r)
            for (std::size_t s = 0; s < 64 * words; ++s) {
              const bool expected =
                  s < count && memory[s * features + r % features] > thresholds[r / features][r % features];
              ASSERT_EQ((bits[r][s / 64] >> (s % 64)) & 1, expected) << target << " row " << r << " sample " << s;
            }
        }
  });
}

// The memory of a caller: no padding, any address, and nothing readable behind the last feature.
TEST(EncodeKernel, RowsOfOtherOwnersGiveTheSameOnEveryTarget) {
  each_target([&](const char* target) {
    for (std::size_t features : {1, 4, 16, 63, 64, 70, 130})
      for (std::size_t count : {1, 15, 16, 65, 200}) {
        const Matrix<std::uint8_t> values = random_bytes(count, features, features);
        const Matrix<std::uint8_t> thresholds = random_bytes(kThresholds, features, 5);
        for (std::size_t offset : {0, 1, 3}) {
          // Of exactly this size, so that the address sanitizer sees every byte too many.
          const auto memory = std::make_unique<std::uint8_t[]>(offset + count * features);
          for (std::size_t s = 0; s < count; ++s) std::ranges::copy(values[s], &memory[offset + s * features]);
          const auto view = MatrixView<std::uint8_t>::borrow(&memory[offset], count, features);

          Matrix<std::uint64_t> bits(kThresholds * features, 4), same_bits(kThresholds * features, 4);
          threshold_bits(Samples(values, 0, count), thresholds, bits);
          threshold_bits(Samples(view, 0, count), thresholds, same_bits);
          for (std::size_t r = 0; r < bits.rows(); ++r)
            ASSERT_TRUE(std::ranges::equal(bits[r], same_bits[r]))
                << target << " features " << features << " row " << r;

          const RowLayout layout{{kThresholds * features, 1, 1}, 0}, unit_layout{{features, 1, 1}, 0};
          Matrix<float> rows(layout.rows(), count), same_rows(layout.rows(), count);
          threshold_rows(Samples(values, 0, count), thresholds, layout, rows);
          threshold_rows(Samples(view, 0, count), thresholds, layout, same_rows);
          expect_same(rows, same_rows, target);
          Matrix<float> units(features, count), same_units(features, count);
          unit_rows(Samples(values, 0, count), unit_layout, units);
          unit_rows(Samples(view, 0, count), unit_layout, same_units);
          expect_same(units, same_units, target);
        }
      }
  });
}

// A few samples in the memory of a caller: the bits of rows of a word, where words are compared with a slow loop.
template <class T>
void expect_bytes_as_bits(std::size_t features, std::size_t count, const char* target) {
  const Matrix<std::uint8_t> random = random_bytes(count + kThresholds, features, features + count);
  const auto memory = std::make_unique<T[]>(count * features);
  for (std::size_t i = 0; i < count * features; ++i)
    memory[i] = static_cast<T>(random[i / features][i % features] % 16);
  Matrix<T> thresholds(kThresholds, features, 64 * sizeof(T));
  for (std::size_t t = 0; t < kThresholds; ++t)
    for (std::size_t f = 0; f < features; ++f) thresholds[t][f] = static_cast<T>(random[count + t][f] % 16);
  const Samples samples(MatrixView<T>::borrow(memory.get(), count, features), 0, count);
  Matrix<std::uint64_t> bits(kThresholds * features, 1, 8);
  threshold_bits(samples, thresholds, bits);
  std::vector<std::uint8_t> bytes(kThresholds * features, 0xff);
  threshold_bytes(samples, thresholds, bytes);
  for (std::size_t r = 0; r < bytes.size(); ++r)
    ASSERT_EQ(bytes[r], bits[r][0]) << target << " features " << features << " samples " << count << " row " << r;
}

TEST(EncodeKernel, BytesOfAFewSamplesAreTheirBitsOnEveryTarget) {
  each_target([](const char* target) {
    for (const std::size_t features : {1, 4, 63, 64, 70, 130, 784})
      for (std::size_t count = 1; count <= kByteSamples; ++count) {
        expect_bytes_as_bits<std::uint8_t>(features, count, target);
        expect_bytes_as_bits<float>(features, count, target);
      }
  });
}

}  // namespace
}  // namespace firn
