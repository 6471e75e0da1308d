#include "firn/kernels/mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
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

// The sum of sixteen floats as a vector of `lanes` is summed: parts one after the other, then halves of what is left.
float sum_in_halves(std::span<const float> terms, std::size_t lanes) {
  std::vector<float> sums(lanes);
  for (std::size_t i = 0; i < terms.size(); ++i) sums[i % lanes] += terms[i];
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

std::size_t lanes_of(const std::string& target) {
  if (target.starts_with("AVX3")) return 16;
  if (target == "AVX2") return 8;
  return target == "SCALAR" || target == "EMU128" ? 1 : 4;
}

// To the last bit, whatever is left out because its coefficient is zero.
TEST(MixCoefficients, AddsInTheOrderOfThePlainLoop) {
  each_target([](const char* target) {
    if (std::string(target) == "EMU128") return;  // adds lanes as it likes
    Matrix<float> weights = random_rows(50, 3, 9);
    softmax_rows(50, weights.data(), 1, weights.data());
    std::vector<float> mixed(50 * 4);
    mix_coefficients(50, weights.data(), nullptr, mixed.data());
    for (std::size_t r = 0; r < 50; ++r)
      for (std::size_t t = 0; t < 4; ++t) {
        float terms[kSlots];
        for (std::size_t k = 0; k < kSlots; ++k) terms[k] = weights[r][k] * kGateCoefficients[t][k];
        EXPECT_EQ(mixed[4 * r + t], sum_in_halves(terms, lanes_of(target))) << target << " row " << r;
      }
  });
}

// Rows are worked on several at a time. What comes out of one must not depend on its neighbours, and rows that are not
// on the list stay as they are.
TEST(RowList, ARowAmongOthersEqualsTheRowAlone) {
  each_target([](const char* target) {
    RandomSequence random(10, "test/list");
    const Matrix<float> logits = random_rows(100, 3, 11), grads = random_rows(100, 1, 12),
                        sums = random_rows(25, 1, 13);
    for (const std::size_t count : {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 40, 100}) {
      std::vector<std::uint32_t> chosen = permutation(100, random), place = permutation(100, random);
      chosen.resize(count);
      for (const bool listed : {true, false}) {
        const RowList rows(count, listed ? chosen.data() : nullptr);
        Matrix<float> q(100, kSlots), expanded(100, kSlots), scores(100, kSlots);
        std::vector<float> mixed(400);
        std::vector<std::uint8_t> argmax(count);
        softmax_rows(rows, logits.data(), 0.7f, q.data());
        mix_coefficients(rows, q.data(), place.data(), mixed.data());
        expand_sums(rows, sums.data(), place.data(), expanded.data());
        score_rows(rows, grads.data(), q.data(), scores.data());
        argmax_rows(rows, logits.data(), argmax.data());
        std::vector<bool> done(100, false);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t r = rows[i];
          done[r] = true;
          alignas(kCacheLine) float row[kSlots], score[kSlots], gradient[kSlots];
          float coefficients[4];
          std::uint8_t top = 0;
          softmax_rows(1, logits.row(r), 0.7f, row);
          mix_coefficients(1, row, nullptr, coefficients);
          expand_sums(1, sums.data() + 4 * place[r], nullptr, gradient);
          score_rows(1, grads.row(r), row, score);
          argmax_rows(1, logits.row(r), &top);
          EXPECT_TRUE(std::ranges::equal(q[r], row)) << target << ", " << count << " rows";
          EXPECT_TRUE(std::equal(coefficients, coefficients + 4, &mixed[4 * place[r]])) << target;
          EXPECT_TRUE(std::ranges::equal(expanded[r], gradient)) << target;
          EXPECT_TRUE(std::ranges::equal(scores[r], score)) << target;
          EXPECT_EQ(argmax[i], top) << target;
        }
        for (std::size_t r = 0; r < 100; ++r)
          for (std::size_t k = 0; k < kSlots && !done[r]; ++k) {
            EXPECT_EQ(q[r][k], 0) << target;
            EXPECT_EQ(scores[r][k], 0) << target;
            EXPECT_EQ(mixed[4 * place[r] + k % 4], 0) << target;
          }
      }
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
