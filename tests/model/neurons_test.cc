#include "firn/model/neurons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

Neurons random_neurons(std::size_t count) {
  Neurons neurons("n", count, false);
  RandomSequence random(1, "test/neurons");
  initialize_gaussian(neurons, random);
  return neurons;
}

double softmax_at(std::span<const float> logits, std::size_t k, double temperature) {
  double total = 0;
  for (float z : logits) total += std::exp((static_cast<double>(z) - logits[k]) / temperature);
  return 1 / total;
}

bool is_one_hot(std::span<const float> row, std::size_t slot) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k] != (k == slot ? 1.f : 0.f)) return false;
  return true;
}

// Returns the rows that were written.
std::vector<std::size_t> update(Neurons& neurons, const WeightPlan& plan) {
  std::vector<std::size_t> written;
  neurons.begin_update(plan);
  for_each_chunk(0, neurons.count(), [&](std::size_t first, std::size_t count) {
    RowNumbers room;
    const RowList rows = neurons.update_weights(plan, first, count, room);
    for (std::size_t r = 0; r < rows.count; ++r) written.push_back(first + rows[r]);
  });
  return written;
}

TEST(Neurons, SoftWeightsAreTheSoftmaxAndServeBothWays) {
  Neurons n = random_neurons(1500);
  update(n, {.forward_temperature = 0.5f, .backward_temperature = 0.5f});
  EXPECT_EQ(&n.gradient_weights(), &n.forward_weights);
  for (std::size_t i = 0; i < n.count(); i += 7)
    for (std::size_t k = 0; k < kSlots; ++k)
      EXPECT_NEAR(n.forward_weights[i][k], softmax_at(n.logits[i], k, 0.5), 1e-6);
}

TEST(Neurons, HardForwardKeepsASoftBackward) {
  Neurons n = random_neurons(1500);
  update(n, {.hard = true, .backward_temperature = 2});
  const auto slots = n.chosen_slots();
  for (std::size_t i = 0; i < n.count(); i += 7) {
    EXPECT_TRUE(is_one_hot(n.forward_weights[i], slots[i]));
    EXPECT_NEAR(n.gradient_weights()[i][3], softmax_at(n.logits[i], 3, 2), 1e-6);
  }
  update(n, {});  // and back to soft
  EXPECT_NEAR(n.gradient_weights()[8][3], softmax_at(n.logits[8], 3, 1), 1e-6);
}

TEST(Neurons, NoiseMovesBothWeightsAndTheHardChoice) {
  Neurons n = random_neurons(40);
  Matrix<float> noise(40, kSlots);
  RandomSequence random(2, "test/noise");
  for (std::size_t i = 0; i < 40; ++i)
    for (float& v : noise[i]) v = random.normal();
  Matrix<float> sum(40, kSlots);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < kSlots; ++k) sum[i][k] = n.logits[i][k] + noise[i][k];
  const Matrix<float> logits = n.logits;
  for (const bool hard : {false, true}) {
    update(n, {.hard = hard, .forward_temperature = 0.7f, .backward_temperature = 3, .noise = &noise});
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_NEAR(n.gradient_weights()[i][5], softmax_at(sum[i], 5, 3), 1e-6);
      if (hard) {
        EXPECT_TRUE(is_one_hot(n.forward_weights[i],
                               static_cast<std::size_t>(std::ranges::max_element(sum[i]) - sum[i].begin())));
      } else {
        EXPECT_NEAR(n.forward_weights[i][5], softmax_at(sum[i], 5, 0.7), 1e-6);
      }
      EXPECT_TRUE(std::ranges::equal(n.logits[i], logits[i]));
    }
  }
}

TEST(Neurons, FrozenRowsAreOneHotInBothAndChosen) {
  Neurons n = random_neurons(10);
  n.frozen[4] = 11;
  for (const bool hard : {false, true}) {
    update(n, {.hard = hard});
    EXPECT_TRUE(is_one_hot(n.forward_weights[4], 11));
    EXPECT_TRUE(is_one_hot(n.gradient_weights()[4], 11));
  }
  EXPECT_EQ(n.chosen_slots()[4], 11);
  EXPECT_EQ(n.frozen_count(), 1u);
  EXPECT_FALSE(n.all_frozen());
}

// Frozen rows are written once, and again when anything about them has changed.
TEST(Neurons, FrozenRowsAreLeftAloneOnceTheyAreWritten) {
  Neurons n = random_neurons(300);
  EXPECT_EQ(update(n, {}).size(), 300u);
  for (std::size_t i = 0; i < 300; ++i)
    if (i % 3 != 0) n.frozen[i] = static_cast<std::int8_t>(i % 16);
  EXPECT_EQ(update(n, {}).size(), 300u);
  EXPECT_EQ(update(n, {}).size(), 100u);
  n.frozen[200] = 3;
  n.frozen[4] = kNotFrozen;
  const auto written = update(n, {});
  EXPECT_EQ(written.size(), 102u);
  EXPECT_EQ(std::ranges::count(written, 200u), 1);
  EXPECT_EQ(std::ranges::count(written, 4u), 1);
  EXPECT_NEAR(n.forward_weights[4][5], softmax_at(n.logits[4], 5, 1), 1e-6);
  n.frozen[4] = 4;
  EXPECT_EQ(update(n, {.hard = true}).size(), 300u);  // there are weights for the backward pass now
  EXPECT_EQ(update(n, {.hard = true}).size(), 100u);
  n.forget_settled();
  EXPECT_EQ(update(n, {.hard = true}).size(), 300u);
  for (std::size_t i = 0; i < 300; ++i)
    if (i % 3 != 0) {
      EXPECT_TRUE(is_one_hot(n.forward_weights[i], i == 200 ? 3 : i % 16)) << i;
      EXPECT_TRUE(is_one_hot(n.gradient_weights()[i], i == 200 ? 3 : i % 16)) << i;
    }
}

TEST(Neurons, TiedLogitsChooseTheLowestSlot) {
  Neurons n("n", 1, false);
  EXPECT_EQ(n.chosen_slots()[0], 0);
  n.logits[0][9] = n.logits[0][12] = 1;
  EXPECT_EQ(n.chosen_slots()[0], 9);
}

}  // namespace
}  // namespace firn
