#include "firn/refine/count_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "firn/base/random.h"

namespace firn {
namespace {

TEST(CountLoss, ChangeIsTheDifferenceOfTwoValues) {
  struct Case {
    const char* loss;
    Head head;
  };
  for (const Case& c : {Case{"cross-entropy", {10, 0.05f}}, Case{"cross-entropy", {3, 2.0f, 1}},
                        Case{"squared", {4, 0.02f, 0.5f}}, Case{"squared", {1, 0.01f}}, Case{"bce", {1, 0.1f, -3}}}) {
    const std::size_t rows = 80;
    const CountLoss loss(loss_from_name(c.loss), c.head, rows);
    RandomSequence random(3, "test/count-loss");
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<std::int32_t> counts, delta, after;
      for (std::size_t g = 0; g < c.head.groups; ++g) {
        counts.push_back(static_cast<std::int32_t>(random.below(rows + 1)));
        after.push_back(static_cast<std::int32_t>(random.below(rows + 1)));
        delta.push_back(after.back() - counts.back());
      }
      const auto label = static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(c.head.classes())));
      std::vector<double> softmax(c.head.groups);
      loss.prepare(counts, softmax);
      const double expected = loss.value(after, label) - loss.value(counts, label);
      ASSERT_NEAR(loss.change(counts, softmax, label, delta), expected, 1e-9 * (1 + std::abs(expected))) << c.loss;
    }
  }
}

TEST(CountLoss, AgreesWithTheLossOfTraining) {
  const Head head{3, 0.25f, 0.5f};
  const CountLoss loss(loss_from_name("cross-entropy"), head, 40);
  const std::vector<std::int32_t> counts = {12, 30, 7};
  Matrix<float> sums(3, 1);
  for (std::size_t c = 0; c < 3; ++c) sums.row(c)[0] = head.offset + head.factor * static_cast<float>(counts[c]);
  const std::uint16_t label = 2;
  EXPECT_NEAR(loss.value(counts, label), cross_entropy(sums, std::span(&label, 1), 1, nullptr).loss, 1e-6);
  EXPECT_EQ(loss.predicted(counts), 1);
}

TEST(CountLoss, WeighsClassesAsTrainingDoes) {
  struct Case {
    const char* loss;
    Head head;
    std::vector<float> weights;
  };
  for (const Case& c : {Case{"cross-entropy", {3, 0.05f}, {0.5f, 1, 7}}, Case{"bce", {1, 0.1f, -3}, {0.25f, 6}}}) {
    const CountLoss weighted(scaled_loss(c.loss, {.class_weights = c.weights}), c.head, 40);
    const CountLoss plain(loss_from_name(c.loss), c.head, 40);
    const std::vector<std::int32_t> counts(c.head.groups, 12), delta(c.head.groups - 1, 0);
    std::vector<std::int32_t> step = delta;
    step.push_back(3);
    std::vector<double> softmax(c.head.groups);
    plain.prepare(counts, softmax);
    for (std::uint16_t label = 0; label < c.weights.size(); ++label) {
      EXPECT_NEAR(weighted.value(counts, label), c.weights[label] * plain.value(counts, label), 1e-9) << c.loss;
      EXPECT_NEAR(weighted.change(counts, softmax, label, step),
                  c.weights[label] * plain.change(counts, softmax, label, step), 1e-9)
          << c.loss;
    }
  }
}

TEST(CountLoss, TiesGoToTheLowestClass) {
  const CountLoss loss(loss_from_name("cross-entropy"), {3, 1}, 10);
  EXPECT_EQ(loss.predicted(std::vector<std::int32_t>{2, 5, 5}), 1);
}

}  // namespace
}  // namespace firn
