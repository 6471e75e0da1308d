// Where the sums of all shards meet: in the order of their index, whoever computed them.
#pragma once

#include <vector>

#include "firn/base/threads.h"
#include "firn/model/model.h"

namespace firn::training {

// total = shards[0] + shards[1] + ... in this order. The order, and not the number of threads, decides the rounding.
void reduce_shards(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total, Threads& threads);

}  // namespace firn::training
