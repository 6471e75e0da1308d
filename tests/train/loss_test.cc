#include "firn/train/loss.h"

#include <gtest/gtest.h>

#include "tests/reference/training.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

struct ClassSums {
  Matrix<float> rows;  // [outputs][samples]
  std::vector<std::uint16_t> labels;
};

ClassSums random_class_sums(std::size_t outputs, std::size_t samples, float spread) {
  ClassSums sums{Matrix<float>(outputs, 32), {}};
  RandomSequence random(outputs, "test/class sums");
  for (std::size_t c = 0; c < outputs; ++c)
    for (float& v : sums.rows[c]) v = spread * random.normal();
  for (std::size_t s = 0; s < samples; ++s)
    sums.labels.push_back(
        static_cast<std::uint16_t>(random.below(std::max<std::uint32_t>(2, static_cast<std::uint32_t>(outputs)))));
  return sums;
}

void check_loss(LossFunction loss, const reference::Loss& reference, std::size_t outputs, float spread) {
  const ClassSums sums = random_class_sums(outputs, 21, spread);
  Matrix<float> grad(outputs, 32);
  for (std::size_t c = 0; c < outputs; ++c) std::ranges::fill(grad[c], 7.f);  // stale values must go
  const LossSum total = loss(sums.rows, sums.labels, 0.25, &grad);
  double expected = 0;
  for (std::size_t s = 0; s < 21; ++s) {
    reference::Values<double> values;
    for (std::size_t c = 0; c < outputs; ++c) values.push_back(sums.rows[c][s]);
    expected += reference.value(values, sums.labels[s]);
    const auto slope = reference.gradient(values, sums.labels[s]);
    for (std::size_t c = 0; c < outputs; ++c) EXPECT_NEAR(grad[c][s], 0.25 * slope[c], 1e-6 * (1 + std::abs(slope[c])));
  }
  EXPECT_NEAR(total.loss, expected, 1e-9 * (1 + expected));
  for (std::size_t c = 0; c < outputs; ++c)
    for (std::size_t s = 21; s < 32; ++s) EXPECT_EQ(grad[c][s], 0);
  EXPECT_EQ(loss(sums.rows, sums.labels, 1, nullptr).loss, total.loss);
}

TEST(Loss, MatchesTheReference) {
  for (const float spread : {1.f, 30.f, 300.f}) {
    check_loss(cross_entropy, reference::kCrossEntropy, 10, spread);
    check_loss(binary_cross_entropy, reference::kBinaryCrossEntropy, 1, spread);
    check_loss(squared_error, reference::kSquaredError, 1, spread);
    check_loss(squared_error, reference::kSquaredError, 4, spread);
  }
}

// The mean of the losses of the reference in double, each times the weight of its class, and its slope by differences.
TEST(Loss, WeighsClassesInValueAndGradient) {
  const std::vector<float> weights = {0.25f, 3, 1, 0, 10};
  struct Case {
    const char* name;
    reference::Loss reference;
    std::size_t outputs;
  };
  for (const Case& c : {Case{"cross-entropy", reference::kCrossEntropy, 5},
                        Case{"squared", reference::kSquaredError, 5}, Case{"bce", reference::kBinaryCrossEntropy, 1}}) {
    const ClassSums sums = random_class_sums(c.outputs, 21, 2);
    const Loss loss = scaled_loss(c.name, {.class_weights = weights});
    Matrix<float> grad(c.outputs, 32);
    const double total = loss(sums.rows, sums.labels, 0.5, &grad).loss;
    double expected = 0;
    for (std::size_t s = 0; s < 21; ++s) {
      reference::Values<double> values;
      for (std::size_t o = 0; o < c.outputs; ++o) values.push_back(sums.rows[o][s]);
      const double weight = weights[sums.labels[s]];
      expected += weight * c.reference.value(values, sums.labels[s]);
      for (std::size_t o = 0; o < c.outputs; ++o) {
        constexpr double kStep = 1e-6;
        reference::Values<double> above = values, below = values;
        above[o] += kStep;
        below[o] -= kStep;
        const double slope = weight *
                             (c.reference.value(above, sums.labels[s]) - c.reference.value(below, sums.labels[s])) /
                             (2 * kStep);
        EXPECT_NEAR(grad[o][s], 0.5 * slope, 1e-6 * (1 + std::abs(slope))) << c.name;
      }
    }
    EXPECT_NEAR(total, expected, 1e-9 * (1 + expected)) << c.name;
  }
}

TEST(Loss, OfValuesIsMeasuredInTheirUnit) {
  Matrix<float> sums(1, 16), grad(1, 16);
  Examples truth;
  truth.targets = {10, -4, 3, 2.5f};
  for (std::size_t s = 0; s < 4; ++s)
    sums[0][s] = truth.targets[s] + (s == 0 ? 2.f : s == 1 ? -6.f : s == 2 ? 0.5f : 0);
  const Loss squared = scaled_loss("squared", {.unit = 2}), absolute = scaled_loss("absolute", {.unit = 2});
  EXPECT_DOUBLE_EQ(squared(sums, truth, 0.5, &grad).loss, 1 + 9 + 0.0625);
  EXPECT_FLOAT_EQ(grad[0][0], 0.5f * 2 * 1 / 2);
  EXPECT_FLOAT_EQ(grad[0][1], 0.5f * 2 * -3 / 2);
  EXPECT_EQ(grad[0][4], 0);
  EXPECT_DOUBLE_EQ(absolute(sums, truth, 0.5, &grad).loss, 1 + 3 + 0.25);
  EXPECT_FLOAT_EQ(grad[0][1], -0.25f);
  EXPECT_EQ(grad[0][3], 0);
  EXPECT_EQ(error_of([] { loss_from_name("absolute"); }),
            "the loss \"absolute\" is for values, but classes are predicted; set train.loss to another one");
  EXPECT_EQ(error_of([] { scaled_loss("bce", {.unit = 1}); }),
            "the loss \"bce\" is for classes, but values are predicted; set train.loss to squared or absolute");
}

TEST(Loss, CountsCorrectPredictionsWithTheLowestClassOnTies) {
  Matrix<float> sums(3, 16);
  sums[0][0] = sums[1][0] = 2;  // sample 0: tie of 0 and 1
  sums[2][1] = 1;               // sample 1: class 2; sample 2: all tied
  const std::vector<std::uint16_t> labels{1, 2, 0};
  EXPECT_EQ(cross_entropy(sums, labels, 1, nullptr).correct, 2u);
  EXPECT_EQ(squared_error(sums, labels, 1, nullptr).correct, 2u);
}

TEST(Loss, OneOutputHasAThreshold) {
  Matrix<float> sums(1, 16);
  sums[0][0] = 0.6f;
  sums[0][1] = 0.4f;
  sums[0][2] = -1;
  const std::vector<std::uint16_t> labels{1, 1, 0};
  EXPECT_EQ(binary_cross_entropy(sums, labels, 1, nullptr).correct, 3u);
  EXPECT_EQ(squared_error(sums, labels, 1, nullptr).correct, 2u);
}

TEST(Loss, NamesAreTheTable) {
  for (const Loss& loss : losses()) EXPECT_EQ(loss_from_name(loss.name).function, loss.function);
  EXPECT_EQ(error_of([] { loss_from_name("hinge"); }),
            "there is no loss \"hinge\"; choose cross-entropy, bce or squared");
}

}  // namespace
}  // namespace firn
