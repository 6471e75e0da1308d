#include "firn/train/reducer.h"

#include <gtest/gtest.h>

#include "firn/base/pairwise_tree.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

// Layers below the first one stay untouched.
TEST(Reducer, AddsAnyNumberOfShardsAsTheTreeSays) {
  const auto model = tiny_dense_model(1);
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 15, 16, 17, 100}) {
    std::vector<ShardSums> shards;
    RandomSequence random(count, "test/shards");
    for (std::size_t s = 0; s < count; ++s) {
      shards.push_back(model->make_sums());
      for (auto& layer : shards.back().layers)
        for (std::size_t r = 0; r < layer.rows(); ++r)
          for (float& v : layer[r]) v = 1000 * random.normal();
    }
    for (const int thread_count : {1, 2}) {
      Threads threads(thread_count);
      ShardSums total = model->make_sums();
      Reducer(count).reduce(shards, 1, total, threads);
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

}  // namespace
}  // namespace firn
