#include "firn/data/caller_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::uint8_t> kBytes = {1, 2, 3, 4, 5, 6};
const std::vector<float> kFloats = {1, 2, 3, 4, 5, 6};
const std::vector<std::int64_t> kLabels = {0, 2, 1};
constexpr Shape kPair = {2, 1, 1};

TEST(CallerMemory, ValuesAreSeenWhereTheyAre) {
  std::vector<std::uint8_t> bytes = kBytes;
  const Dataset dataset = make_dataset({.shape = kPair, .train = {bytes, kLabels}});
  EXPECT_EQ(dataset.train.bytes.data(), bytes.data());
  EXPECT_EQ(dataset.train.count(), 3u);
  EXPECT_EQ(dataset.test.count(), 0u);
  EXPECT_EQ(dataset.classes, 3u);
  EXPECT_THAT(dataset.train.labels, ElementsAre(0, 2, 1));
  bytes[3] = 99;
  EXPECT_THAT(dataset.train.bytes[1], ElementsAre(3, 99));
  const Dataset copy = dataset;
  EXPECT_EQ(copy.train.bytes.data(), bytes.data());

  std::vector<float> floats = kFloats;
  const Dataset reals = make_dataset({.shape = kPair, .train = {floats, kLabels}, .test = {floats, kLabels}});
  EXPECT_TRUE(reals.train.has_reals());
  EXPECT_EQ(reals.test.reals.data(), floats.data());
  floats[5] = -1;
  EXPECT_EQ(reals.train.reals[2][1], -1);
}

TEST(CallerMemory, LabelsMayBeOfAnyCommonType) {
  const std::vector<std::uint8_t> bytes = {0, 2, 1};
  const std::vector<std::uint16_t> words = {0, 2, 1};
  const std::vector<std::int32_t> ints = {0, 2, 1};
  for (const LabelArray& labels : {LabelArray(bytes), LabelArray(words), LabelArray(ints), LabelArray(kLabels)})
    EXPECT_THAT(make_dataset({.shape = kPair, .train = {kBytes, labels}}).train.labels, ElementsAre(0, 2, 1));
}

TEST(CallerMemory, ClassesAreGivenOrFoundInBothSets) {
  const std::vector<std::int32_t> one = {4};
  const std::vector<std::uint8_t> pixels = {1, 2};
  const ExampleArrays train = {kBytes, kLabels}, test = {pixels, one};
  EXPECT_EQ(make_dataset({.shape = kPair, .train = train, .test = test}).classes, 5u);
  EXPECT_EQ(make_dataset({.shape = kPair, .train = train, .test = test, .classes = 10}).classes, 10u);
  EXPECT_THAT(error_of([&] { make_dataset({.shape = kPair, .train = train, .test = test, .classes = 4}); }),
              AllOf(HasSubstr("test set"), HasSubstr("example 0 has the label 4"), HasSubstr("0 to 3")));
  EXPECT_THAT(make_dataset({.shape = kPair, .train = train, .class_names = {"a", "b", "c"}}).class_names,
              ElementsAre("a", "b", "c"));
}

TEST(CallerMemory, MistakesAreNamed) {
  const auto refusal = [](const DatasetArrays& arrays) { return error_of([&] { make_dataset(arrays); }); };
  const ExampleArrays train = {kBytes, kLabels};
  EXPECT_THAT(refusal({.shape = {0, 1, 1}, .train = train}), HasSubstr("0x1x1"));
  EXPECT_THAT(refusal({.shape = kPair, .train = {}}), HasSubstr("no training examples"));
  EXPECT_THAT(refusal({.shape = {4, 1, 1}, .train = train}), AllOf(HasSubstr("6 values"), HasSubstr("4x1x1")));
  EXPECT_THAT(refusal({.shape = {1, 3, 1}, .train = train}), AllOf(HasSubstr("2 examples"), HasSubstr("3 labels")));
  EXPECT_THAT(refusal({.shape = kPair, .train = train, .test = {kFloats, kLabels}}), HasSubstr("floats"));
  EXPECT_THAT(refusal({.shape = kPair, .train = train, .test = {kBytes, {}}}),
              AllOf(HasSubstr("test set"), HasSubstr("0 labels")));
  EXPECT_THAT(refusal({.shape = kPair, .train = train, .classes = 65536}), HasSubstr("at most 65535"));
  EXPECT_THAT(refusal({.shape = kPair, .train = train, .class_names = {"a"}}), HasSubstr("1 class names"));

  const std::vector<std::int64_t> negative = {0, -1, 1}, huge = {0, 1, 65535}, equal = {0, 0, 0};
  EXPECT_THAT(refusal({.shape = kPair, .train = {kBytes, negative}}), HasSubstr("example 1 has the label -1"));
  EXPECT_THAT(refusal({.shape = kPair, .train = {kBytes, huge}}), HasSubstr("example 2 has the label 65535"));
  EXPECT_THAT(refusal({.shape = kPair, .train = {kBytes, equal}}), HasSubstr("only one class"));

  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = kFloats;
    values[5] = bad;
    EXPECT_THAT(refusal({.shape = kPair, .train = {values, kLabels}}), HasSubstr("feature 1 of example 2"));
  }
}

TEST(CallerMemory, ExamplesWithoutLabelsAreForPredictions) {
  const Examples examples = make_examples(kFloats, kPair);
  EXPECT_EQ(examples.count(), 3u);
  EXPECT_EQ(examples.reals.data(), kFloats.data());
  EXPECT_TRUE(examples.labels.empty());
  EXPECT_THAT(error_of([] { make_examples(kBytes, {5, 1, 1}); }), HasSubstr("5x1x1"));
}

}  // namespace
}  // namespace firn
