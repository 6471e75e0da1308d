#include "firn/kernels/mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "firn/logic/gate.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

Matrix<float> random_rows(std::size_t rows, float spread, std::uint64_t seed) {
  Matrix<float> m(rows, kSlots);
  RandomSequence random(seed, "test/mixture");
  for (std::size_t r = 0; r < rows; ++r)
    for (float& v : m[r]) v = spread * random.normal();
  return m;
}

std::vector<double> softmax(std::span<const float> logits, double temperature) {
  std::vector<double> q;
  double total = 0;
  for (float z : logits) q.push_back(std::exp((z - logits[0]) / temperature)), total += q.back();
  for (double& v : q) v /= total;
  return q;
}

TEST(SoftmaxRows, MatchesDouble) {
  each_target([](const char* target) {
    for (const float temperature : {1.f, 0.3f, 4.f}) {
      const Matrix<float> logits = random_rows(37, 3, 1);
      Matrix<float> weights(37, kSlots);
      softmax_rows(37, logits.data(), temperature, weights.data());
      for (std::size_t r = 0; r < 37; ++r) {
        const auto exact = softmax(logits[r], temperature);
        for (std::size_t k = 0; k < kSlots; ++k) EXPECT_NEAR(weights[r][k] / exact[k], 1, 1e-5) << target;
      }
      Matrix<float> in_place = logits;
      softmax_rows(37, in_place.data(), temperature, in_place.data());
      for (std::size_t r = 0; r < 37; ++r) EXPECT_TRUE(std::ranges::equal(in_place[r], weights[r])) << target;
    }
  });
}

TEST(SoftmaxRows, SurvivesHugeLogits) {
  each_target([](const char* target) {
    Matrix<float> logits(1, kSlots), weights(1, kSlots);
    logits[0][4] = 1e4f;
    logits[0][9] = -1e4f;
    softmax_rows(1, logits.data(), 1, weights.data());
    for (std::size_t k = 0; k < kSlots; ++k) EXPECT_EQ(weights[0][k], k == 4 ? 1 : 0) << target;
  });
}

TEST(ArgmaxRows, LowestIndexWinsTies) {
  each_target([](const char* target) {
    for (std::size_t first = 0; first < kSlots; ++first)
      for (std::size_t second = first; second < kSlots; ++second) {
        Matrix<float> rows(1, kSlots);
        std::ranges::fill(rows[0], -2.f);
        rows[0][first] = rows[0][second] = -1;
        std::uint8_t argmax = 99;
        argmax_rows(1, rows.data(), &argmax);
        EXPECT_EQ(argmax, first) << target;
      }
  });
}

TEST(EntropyRows, MatchesDoubleAndItsLimits) {
  each_target([](const char* target) {
    Matrix<float> weights = random_rows(35, 2, 3);
    softmax_rows(33, weights.data(), 1, weights.data());
    std::ranges::fill(weights[33], 1.f / 16);
    std::ranges::fill(weights[34], 0.f);
    weights[34][7] = 1;
    std::vector<float> entropy(35);
    entropy_rows(35, weights.data(), entropy.data());
    for (std::size_t r = 0; r < 33; ++r) {
      double exact = 0;
      for (float q : weights[r]) exact -= q * std::log(static_cast<double>(q)) / std::log(16.0);
      EXPECT_NEAR(entropy[r], exact, 1e-6) << target;
    }
    EXPECT_NEAR(entropy[33], 1, 1e-6) << target;
    EXPECT_EQ(entropy[34], 0) << target;
  });
}

TEST(MixCoefficients, MatchesDoubleAndIsExactForOneGate) {
  each_target([](const char* target) {
    Matrix<float> weights = random_rows(21, 2, 4);
    softmax_rows(21, weights.data(), 1, weights.data());
    for (std::size_t k = 0; k < kSlots; ++k)
      for (std::size_t i = 0; i < kSlots; ++i) weights[k][i] = i == k ? 1.f : 0.f;
    std::vector<std::uint32_t> place(21);
    for (std::size_t r = 0; r < 21; ++r) place[r] = static_cast<std::uint32_t>(r * 5 % 21);
    std::vector<float> mixed(21 * 4), placed(21 * 4);
    mix_coefficients(21, weights.data(), nullptr, mixed.data());
    mix_coefficients(21, weights.data(), place.data(), placed.data());
    for (std::size_t r = 0; r < 21; ++r)
      for (std::size_t t = 0; t < 4; ++t) {
        double exact = 0;
        for (std::size_t k = 0; k < kSlots; ++k) exact += static_cast<double>(weights[r][k]) * kGateCoefficients[t][k];
        EXPECT_NEAR(mixed[4 * r + t], exact, 3e-7) << target;
        if (r < kSlots) {
          EXPECT_EQ(mixed[4 * r + t], kGateCoefficients[t][r]) << target;
        }
        EXPECT_EQ(placed[4 * place[r] + t], mixed[4 * r + t]) << target;
      }
  });
}

// S_k = E[dl/da (a_k - a)]: the sums of gradient times 1, a, b, ab over samples give the same numbers as evaluating
// every gate on every sample.
TEST(ScoreRows, EqualsTheExplicitExpectation) {
  each_target([](const char* target) {
    RandomSequence random(5, "test/score");
    Matrix<float> q = random_rows(1, 2, 6), grads(1, kSlots), scores(1, kSlots);
    softmax_rows(1, q.data(), 1, q.data());
    float sums[4] = {};
    std::vector<double> explicit_scores(kSlots);
    for (int sample = 0; sample < 50; ++sample) {
      const float up = random.normal(), a = random.uniform(), b = random.uniform();
      const float terms[4] = {1, a, b, a * b};
      double mixture = 0, value[kSlots];
      for (std::size_t k = 0; k < kSlots; ++k) {
        const auto c = coefficients(static_cast<Gate>(k));
        value[k] =
            c[0] + c[1] * static_cast<double>(a) + c[2] * static_cast<double>(b) + c[3] * static_cast<double>(a) * b;
        mixture += q[0][k] * value[k];
      }
      for (std::size_t k = 0; k < kSlots; ++k) explicit_scores[k] += up * (value[k] - mixture);
      for (int t = 0; t < 4; ++t) sums[t] += up * terms[t];
    }
    expand_sums(1, sums, nullptr, grads.data());
    score_rows(1, grads.data(), q.data(), scores.data());
    for (std::size_t k = 0; k < kSlots; ++k) EXPECT_NEAR(scores[0][k], explicit_scores[k], 2e-5) << target;
  });
}

// TaskFreeze reads the sign of the winner's score, which is a sum of tiny terms once the winner's weight is close to
// one.
TEST(ScoreRows, SignOfTheWinnerSurvivesLargeLogitGaps) {
  each_target([](const char* target) {
    for (const float gap : {5.f, 10.f, 15.f, 20.f}) {
      constexpr std::size_t kRows = 400;
      Matrix<float> logits = random_rows(kRows, 0.5f, 7), grads = random_rows(kRows, 1, 8), q(kRows, kSlots);
      for (std::size_t r = 0; r < kRows; ++r) {
        logits[r][r % kSlots] += gap;
        for (float& g : grads[r]) g += 3;  // a common part that must cancel
      }
      softmax_rows(kRows, logits.data(), 1, q.data());
      Matrix<float> scores = grads;
      score_rows(kRows, scores.data(), q.data(), scores.data());
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto exact_q = softmax(logits[r], 1);
        const std::size_t winner = static_cast<std::size_t>(std::ranges::max_element(exact_q) - exact_q.begin());
        double score = 0, size = 0;
        for (std::size_t k = 0; k < kSlots; ++k) {
          const double term = exact_q[k] * (static_cast<double>(grads[r][k]) - grads[r][winner]);
          score -= term;
          size += std::abs(term);
        }
        EXPECT_NEAR(scores[r][winner], score, 1e-5 * size) << target << " gap " << gap;
        if (std::abs(score) > 1e-5 * size) {
          EXPECT_EQ(scores[r][winner] > 0, score > 0) << target << " gap " << gap;
        }
      }
    }
  });
}

}  // namespace
}  // namespace firn
