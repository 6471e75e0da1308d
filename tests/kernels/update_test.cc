#include "firn/kernels/update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/pairwise_tree.h"
#include "firn/base/random.h"
#include "firn/kernels/mixture.h"
#include "tests/support/each_target.h"

namespace firn {
namespace {

Matrix<float> random_logits(std::size_t rows, float spread, std::uint64_t seed) {
  Matrix<float> m(rows, kSlots);
  RandomSequence random(seed, "test/update");
  for (std::size_t r = 0; r < rows; ++r)
    for (float& v : m[r]) v = spread * random.normal();
  return m;
}

TEST(AdamRows, FollowsADoubleLoopAndLeavesFrozenRowsAlone) {
  each_target([](const char* target) {
    constexpr std::size_t kRows = 7;
    Matrix<float> logits = random_logits(kRows, 1, 1), m(kRows, kSlots), v(kRows, kSlots);
    const Matrix<float> start = logits;
    std::vector<std::int8_t> frozen(kRows, -1);
    frozen[2] = 5;
    std::vector<double> z(logits.data(), logits.data() + kRows * kSlots), first(z.size()), second(z.size());
    AdamStep step;
    step.learning_rate = 0.02f;
    step.decay = 0.01f;
    for (int t = 1; t <= 60; ++t) {
      const Matrix<float> q = random_logits(kRows, 0.2f, 100 + t), s = random_logits(kRows, 1, 200 + t);
      step.correction1 = static_cast<float>(1 - std::pow(0.9, t));
      step.correction2 = static_cast<float>(1 - std::pow(0.999, t));
      adam_rows(step, kRows, {q.data(), s.data(), frozen.data(), 0.5f}, logits.data(), m.data(), v.data());
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double g = 0.5 * q.data()[i] * s.data()[i];
        first[i] = 0.9 * first[i] + 0.1 * g;
        second[i] = 0.999 * second[i] + 0.001 * g * g;
        z[i] *= 1 - 0.02 * 0.01;
        z[i] -= 0.02 * (first[i] / (1 - std::pow(0.9, t))) / (std::sqrt(second[i] / (1 - std::pow(0.999, t))) + 1e-8);
      }
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (i / kSlots == 2) {
        EXPECT_EQ(logits.data()[i], start.data()[i]) << target;
        EXPECT_EQ(m.data()[i], 0) << target;
        EXPECT_EQ(v.data()[i], 0) << target;
      } else {
        EXPECT_NEAR(logits.data()[i], z[i], 1e-5) << target;
        EXPECT_NEAR(m.data()[i], first[i], 1e-6) << target;
        EXPECT_NEAR(v.data()[i] / second[i], 1, 1e-5) << target;
      }
    }
  });
}

TEST(SgdRows, FollowsADoubleLoopAndLeavesFrozenRowsAlone) {
  each_target([](const char* target) {
    constexpr std::size_t kRows = 5;
    Matrix<float> logits = random_logits(kRows, 1, 1), velocity(kRows, kSlots);
    const Matrix<float> start = logits;
    const std::vector<std::int8_t> frozen{-1, -1, -1, 0, -1};
    std::vector<double> z(logits.data(), logits.data() + kRows * kSlots), v(z.size());
    for (int t = 1; t <= 60; ++t) {
      const Matrix<float> q = random_logits(kRows, 0.2f, 100 + t), s = random_logits(kRows, 1, 200 + t);
      EXPECT_TRUE(sgd_rows({.learning_rate = 0.1f, .momentum = 0.75f, .decay = 0.02f}, kRows,
                           {q.data(), s.data(), frozen.data(), 0.5f}, logits.data(), velocity.data()));
      for (std::size_t i = 0; i < z.size(); ++i) {
        v[i] = 0.75 * v[i] + 0.5 * q.data()[i] * s.data()[i];
        z[i] = z[i] * (1 - 0.1 * 0.02) - 0.1 * v[i];
      }
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
      EXPECT_NEAR(logits.data()[i], i / kSlots == 3 ? start.data()[i] : z[i], 1e-5) << target;
      EXPECT_NEAR(velocity.data()[i], i / kSlots == 3 ? 0 : v[i], 1e-6) << target;
    }
    logits.data()[7] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(sgd_rows({}, kRows, {start.data(), start.data(), frozen.data()}, logits.data(), velocity.data()));
  });
}

TEST(WriteGradient, IsTheProductAndZeroWhereFrozen) {
  each_target([](const char* target) {
    const Matrix<float> q = random_logits(3, 1, 1), s = random_logits(3, 1, 2);
    const std::vector<std::int8_t> frozen{-1, 3, -1};
    Matrix<float> gradient = random_logits(3, 1, 3);
    write_gradient(3, {q.data(), s.data(), frozen.data(), 0.25f}, gradient.data());
    for (std::size_t i = 0; i < 3 * kSlots; ++i)
      EXPECT_EQ(gradient.data()[i], i / kSlots == 1 ? 0 : q.data()[i] * 0.25f * s.data()[i]) << target;
  });
}

TEST(SquaredGradient, AddsTheRowsThatTrain) {
  each_target([](const char* target) {
    const Matrix<float> q = random_logits(9, 1, 1), s = random_logits(9, 1, 2);
    const std::vector<std::int8_t> frozen{-1, 3, -1, -1, 0, -1, -1, -1, 15};
    double expected = 0;
    for (std::size_t i = 0; i < 9 * kSlots; ++i)
      if (frozen[i / kSlots] < 0) expected += std::pow(static_cast<double>(q.data()[i]) * s.data()[i], 2);
    EXPECT_NEAR(squared_gradient(9, {q.data(), s.data(), frozen.data()}) / expected, 1, 1e-6) << target;
  });
}

// Of five numbers of very different size, any other order would round differently.
TEST(AddShards, AddsInTheOrderOfTheTree) {
  each_target([](const char* target) {
    for (std::size_t count = 1; count <= 70; ++count) {
      std::vector<Matrix<float>> parts;
      std::vector<const float*> pointers;
      for (std::size_t p = 0; p < count; ++p)
        parts.push_back(random_logits(3, static_cast<float>(std::pow(10, p % 5)), 100 * count + p));
      for (const auto& part : parts) pointers.push_back(part.data());
      Matrix<float> total(3, kSlots);
      add_shards(count, pointers.data(), kSlots, 2 * kSlots, total.data());
      std::size_t different = 0;
      for (std::size_t i = kSlots; i < 3 * kSlots; ++i) {
        std::vector<float> items;
        for (const float* part : pointers) items.push_back(part[i]);
        const float expected = pairwise_sum(std::span<const float>(items));
        ASSERT_EQ(total.data()[i], expected) << target << ", " << count << " shards";
        float in_sequence = items[0];
        for (std::size_t p = 1; p < count; ++p) in_sequence += items[p];
        different += in_sequence != expected;
      }
      for (std::size_t i = 0; i < kSlots; ++i) EXPECT_EQ(total.data()[i], 0) << "outside the range";
      if (count > 3) {
        EXPECT_GT(different, 0u) << count;
      }
    }
  });
}

TEST(AddShardRows, EqualsAddShardsForTheRowsOfTheList) {
  each_target([](const char* target) {
    for (std::size_t count = 1; count <= 9; ++count) {
      std::vector<Matrix<float>> parts;
      std::vector<const float*> pointers;
      for (std::size_t p = 0; p < count; ++p) parts.push_back(random_logits(7, 3, 10 * count + p));
      for (const auto& part : parts) pointers.push_back(part.data());
      Matrix<float> all(7, kSlots), some(5, kSlots);
      add_shards(count, pointers.data(), 0, 7 * kSlots, all.data());
      const std::uint32_t rows[] = {0, 4, 3};
      add_shard_rows(count, pointers.data(), 2, {3, rows}, some.data());
      for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t k = 0; k < kSlots; ++k)
          EXPECT_EQ(some[r][k], r == 0 || r > 2 ? all[2 + r][k] : 0.f) << target << ", " << count << " shards";
    }
  });
}

TEST(AddShards, MayAddToTheFirstPart) {
  Matrix<float> total = random_logits(2, 1, 1);
  const Matrix<float> start = total, other = random_logits(2, 1, 2);
  const float* parts[] = {total.data(), other.data()};
  add_shards(2, parts, 0, 2 * kSlots, total.data());
  for (std::size_t i = 0; i < 2 * kSlots; ++i) EXPECT_EQ(total.data()[i], start.data()[i] + other.data()[i]);
}

}  // namespace
}  // namespace firn
