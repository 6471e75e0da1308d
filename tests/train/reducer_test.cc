#include "firn/train/reducer.h"

#include <gtest/gtest.h>

#include "tests/support/random_models.h"

namespace firn {
namespace {

// More shards than are added in one go, and layers below the first one untouched.
TEST(Reducer, AddsAnyNumberOfShardsInOrder) {
  const auto model = tiny_dense_model(1);
  for (const std::size_t count : {1, 15, 16, 17, 100}) {
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
      reduce_shards(shards, 1, total, threads);
      for (std::size_t layer = 0; layer < total.layers.size(); ++layer)
        for (std::size_t r = 0; r < total.layers[layer].rows(); ++r)
          for (std::size_t k = 0; k < kSlots; ++k) {
            float expected = layer == 0 ? 0 : shards[0].layers[layer][r][k];
            for (std::size_t s = 1; s < count && layer > 0; ++s) expected += shards[s].layers[layer][r][k];
            ASSERT_EQ(total.layers[layer][r][k], expected) << count << " shards";
          }
    }
  }
}

}  // namespace
}  // namespace firn
