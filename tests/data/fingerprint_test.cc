#include "firn/data/fingerprint.h"

#include <gtest/gtest.h>

#include <array>

#include "firn/data/caller_memory.h"

namespace firn {
namespace {

struct Arrays {
  std::array<std::uint8_t, 6> values = {1, 2, 3, 4, 5, 6};
  std::array<std::uint16_t, 3> labels = {0, 1, 1};

  Dataset dataset(std::size_t test_examples = 0) const {
    const std::span<const std::uint8_t> all(values);
    const std::span<const std::uint16_t> classes(labels);
    return make_dataset({.shape = {1, 1, 2},
                         .train = {all, classes},
                         .test = {all.first(2 * test_examples), classes.first(test_examples)},
                         .classes = 2});
  }
  std::string fingerprint() const { return fingerprint_of(dataset().train); }
};

TEST(Fingerprint, ChangesWithEveryValueAndLabel) {
  const std::string whole = Arrays().fingerprint();
  for (std::size_t i = 0; i < 6; ++i) {
    Arrays other;
    other.values[i] ^= 1;
    EXPECT_NE(other.fingerprint(), whole) << i;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Arrays other;
    other.labels[i] ^= 1;
    EXPECT_NE(other.fingerprint(), whole) << i;
  }
}

TEST(Fingerprint, DoesNotDependOnWhereTheValuesLie) {
  Matrix<std::uint8_t> padded(3, 2);
  for (std::size_t i = 0; i < 6; ++i) padded[i / 2][i % 2] = static_cast<std::uint8_t>(i + 1);
  Examples examples;
  examples.bytes = std::move(padded);
  examples.labels = {0, 1, 1};
  EXPECT_EQ(fingerprint_of(examples), Arrays().fingerprint());
}

TEST(Fingerprint, TellsTheSplitsApart) {
  const Fingerprints without = fingerprints_of(Arrays().dataset()), with = fingerprints_of(Arrays().dataset(2));
  EXPECT_EQ(without.test, "");
  EXPECT_EQ(with.train, without.train);
  EXPECT_NE(with.test, with.train);
}

}  // namespace
}  // namespace firn
