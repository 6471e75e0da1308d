#include "firn/train/reducer.h"

#include <gtest/gtest.h>

#include "firn/base/pairwise_tree.h"
#include "tests/support/random_models.h"
#include "tests/support/thread_ranks.h"

namespace firn {
namespace {

std::vector<ShardSums> random_shards(const Model& model, std::size_t count) {
  std::vector<ShardSums> shards;
  RandomSequence random(count, "test/shards");
  for (std::size_t s = 0; s < count; ++s) {
    shards.push_back(model.make_sums());
    for (auto& layer : shards.back().layers)
      for (std::size_t r = 0; r < layer.rows(); ++r)
        for (float& v : layer[r]) v = 1000 * random.normal();
  }
  return shards;
}

std::vector<LossSum> random_losses(std::size_t count) {
  std::vector<LossSum> losses;
  RandomSequence random(count, "test/losses");
  for (std::size_t s = 0; s < count; ++s) losses.push_back({random.uniform(), s});
  return losses;
}

// Layers below the first one stay untouched.
TEST(Reducer, AddsAnyNumberOfShardsAsTheTreeSays) {
  const auto model = tiny_dense_model(1);
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 15, 16, 17, 100}) {
    const std::vector<ShardSums> shards = random_shards(*model, count);
    for (const int thread_count : {1, 2}) {
      Threads threads(thread_count);
      ShardSums total = model->make_sums();
      std::vector<LossSum> losses(count);
      Reducer(*model, count, one_rank()).reduce(shards, 1, total, losses, threads);
      std::vector<float> parts(count);
      for (std::size_t layer = 0; layer < total.layers.size(); ++layer)
        for (std::size_t r = 0; r < total.layers[layer].rows(); ++r)
          for (std::size_t k = 0; k < kSlots; ++k) {
            for (std::size_t s = 0; s < count; ++s) parts[s] = layer == 0 ? 0 : shards[s].layers[layer][r][k];
            ASSERT_EQ(total.layers[layer][r][k], pairwise_sum(std::span<const float>(parts))) << count << " shards";
          }
    }
  }
}

TEST(Reducer, LargestNodesOfAShare) {
  using Nodes = std::vector<TreeNode>;
  EXPECT_EQ(largest_nodes(4, {0, 4}), (Nodes{{0, 4}}));
  EXPECT_EQ(largest_nodes(4, {0, 2}), (Nodes{{0, 2}}));
  EXPECT_EQ(largest_nodes(4, {1, 3}), (Nodes{{1, 1}, {2, 1}}));
  EXPECT_EQ(largest_nodes(4, {2, 2}), (Nodes{}));
  EXPECT_EQ(largest_nodes(7, {4, 7}), (Nodes{{4, 3}}));
  EXPECT_EQ(largest_nodes(8, {2, 5}), (Nodes{{2, 2}, {4, 1}}));
}

// Of every family, with and without frozen neurons: what is left to learn has the same bits for any number of ranks.
TEST(Reducer, BitsDoNotDependOnTheNumberOfRanks) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const double frozen : {0.0, 0.4}) {
      const auto model = family.make(1);
      for (Neurons* group : model->neurons()) freeze_some(*group, frozen, 2);
      for (const std::size_t count : {1, 4, 5, 8, 13}) {
        const std::vector<ShardSums> shards = random_shards(*model, count);
        const std::vector<LossSum> losses = random_losses(count);
        ShardSums expected = model->make_sums();
        {
          Threads threads(1);
          std::vector<LossSum> all = losses;
          Reducer(*model, count, one_rank()).reduce(shards, 0, expected, all, threads);
        }
        for (const int size : {2, 3, 4, 8})
          on_thread_ranks(size, [&](Ranks& ranks) {
            Threads threads(1);
            Reducer reducer(*model, count, ranks);
            const auto first = static_cast<std::ptrdiff_t>(reducer.own().first),
                       last = static_cast<std::ptrdiff_t>(reducer.own().last);
            const std::vector<ShardSums> own(shards.begin() + first, shards.begin() + last);
            std::vector<LossSum> all(count);
            std::copy(losses.begin() + first, losses.begin() + last, all.begin() + first);
            ShardSums total = model->make_sums();
            for (int twice = 0; twice < 2; ++twice) reducer.reduce(own, 0, total, all, threads);
            for (std::size_t s = 0; s < count; ++s) {
              EXPECT_EQ(all[s].loss, losses[s].loss);
              EXPECT_EQ(all[s].correct, losses[s].correct);
            }
            for (std::size_t l = 0; l < model->layer_count(); ++l) {
              const Layer& layer = model->layer(l);
              const std::size_t width = layer.sum_width();
              for (std::size_t index = 0; index < layer.neurons().size(); ++index)
                for (std::size_t i = 0; i < layer.neurons()[index]->count(); ++i)
                  for (std::size_t k = 0; k < width && layer.neurons()[index]->frozen[i] == kNotFrozen; ++k) {
                    const std::size_t at = layer.sum_row(index, i) * width + k;
                    ASSERT_EQ(total.layers[l].data()[at], expected.layers[l].data()[at])
                        << family.name << ", " << count << " shards on " << size << " ranks";
                  }
            }
          });
      }
    }
}

// Twice the sums, less the own part, and frozen neurons not at all.
TEST(Reducer, SendsWhatIsLeftToLearn) {
  const auto model = tiny_dense_model(1);
  std::size_t floats = 0;
  for (const Matrix<float>& layer : model->make_sums().layers) floats += layer.rows() * kSlots;
  const auto sent = [&](double frozen) {
    for (Neurons* group : model->neurons()) freeze_some(*group, frozen, 2);
    std::uint64_t bytes = 0;
    on_thread_ranks(2, [&](Ranks& ranks) {
      Threads threads(1);
      Reducer reducer(*model, 2, ranks);
      std::vector<LossSum> losses(2);
      ShardSums total = model->make_sums();
      reducer.reduce(random_shards(*model, 1), 0, total, losses, threads);
      if (ranks.is_first()) bytes = ranks.bytes_sent();
    });
    return bytes;
  };
  const std::uint64_t all = sent(0);
  EXPECT_NEAR(static_cast<double>(all), static_cast<double>(floats * sizeof(float)), 200.0);
  EXPECT_LT(sent(0.6), all * 6 / 10);
}

}  // namespace
}  // namespace firn
