#include "firn/train/reducer.h"

#include <algorithm>

#include "firn/kernels/update.h"

namespace firn::training {

void reduce_shards(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total, Threads& threads) {
  for (std::size_t layer = first_layer; layer < total.layers.size(); ++layer) {
    Matrix<float>& sum = total.layers[layer];
    for_each_block(sum.rows(), threads, [&](std::size_t first, std::size_t rows) {
      // A few at a time, each time on top of the total so far: the same additions in the same order.
      constexpr std::size_t kMost = 16;
      const float* parts[1 + kMost];
      for (std::size_t start = 0; start < shards.size(); start += kMost) {
        std::size_t count = 0;
        if (start > 0) parts[count++] = sum.row(first);
        for (std::size_t s = start; s < std::min(start + kMost, shards.size()); ++s)
          parts[count++] = shards[s].layers[layer].row(first);
        add_shards(count, parts, rows * kSlots, sum.row(first));
      }
    });
  }
}

}  // namespace firn::training
