#include "firn/report/answers_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace firn {
namespace {

// Three examples of two classes: both right, a confident mistake, and a disagreement that only the circuit gets right.
Answers three_answers() {
  Answers answers;
  answers.split = "test";
  answers.available = 3;
  answers.shape = {1, 1, 2};
  answers.head = {.groups = 2};
  answers.numbers = {1, 2, 3};
  answers.examples.bytes = Matrix<std::uint8_t>(3, 2);
  answers.examples.labels = {0, 0, 1};
  Matrix<float> relaxed(3, 2), discrete(3, 2);
  relaxed[0][0] = 2, relaxed[1][1] = 4, relaxed[2][0] = 1;
  discrete[0][0] = 2, discrete[1][1] = 5, discrete[2][1] = 1;
  answers.relaxed = std::move(relaxed);
  answers.discrete = std::move(discrete);
  return answers;
}

TEST(AnswersRecord, CountsAndPicksWhatIsWorthALook) {
  const AnswersRecord record = answers_record(three_answers());
  using Counts = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(record.relaxed.confusion, (Counts{{1, 1}, {1, 0}}));
  EXPECT_EQ(record.discrete.confusion, (Counts{{1, 1}, {0, 1}}));
  ASSERT_EQ(record.mistakes.size(), 1u);
  EXPECT_EQ(record.mistakes[0].number, 2u);
  EXPECT_NEAR(record.mistakes[0].discrete_probability, 1 / (1 + std::exp(-5.0)), 1e-9);
  ASSERT_EQ(record.disagreements.size(), 1u);
  EXPECT_EQ(record.disagreements[0].number, 3u);
  EXPECT_EQ(record.discrete.bin_count[9], 1u);  // the mistake
  EXPECT_EQ(record.discrete.bin_accuracy[9], 0);
  EXPECT_FALSE(record.pixels.empty());
}

}  // namespace
}  // namespace firn
