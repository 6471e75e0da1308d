#include "firn/train/reducer.h"

#include <algorithm>

#include "firn/kernels/update.h"

namespace firn {

void reduce_shards(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total, Threads& threads) {
  for (std::size_t layer = first_layer; layer < total.layers.size(); ++layer) {
    Matrix<float>& sum = total.layers[layer];
    for_each_block(sum.rows(), threads, [&](std::size_t first, std::size_t rows) {
      constexpr std::size_t kMost = 64;
      const float* parts[kMost];
      FIRN_CHECK(shards.size() <= kMost);
      for (std::size_t s = 0; s < shards.size(); ++s) parts[s] = shards[s].layers[layer].row(first);
      add_shards(shards.size(), parts, rows * kSlots, sum.row(first));
    });
  }
}

}  // namespace firn
