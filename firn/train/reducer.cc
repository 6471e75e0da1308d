#include "firn/train/reducer.h"

#include <algorithm>

#include "firn/base/error.h"
#include "firn/kernels/update.h"

namespace firn::training {

void Reducer::reduce(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total,
                     Threads& threads) {
  FIRN_CHECK(shards.size() == parts_.size());
  for (std::size_t layer = first_layer; layer < total.layers.size(); ++layer) {
    Matrix<float>& sum = total.layers[layer];
    std::ranges::transform(shards, parts_.begin(), [&](const ShardSums& shard) { return shard.layers[layer].data(); });
    for_each_block(sum.rows(), threads, [&](std::size_t first, std::size_t rows) {
      add_shards(parts_.size(), parts_.data(), first * kSlots, rows * kSlots, sum.data());
    });
  }
}

}  // namespace firn::training
