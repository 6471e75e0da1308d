// Where the sums of all shards meet: in a fixed pairwise tree over their index, whoever computed them.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/base/threads.h"
#include "firn/model/model.h"

namespace firn::training {

class Reducer {
 public:
  explicit Reducer(std::size_t shards) : parts_(shards) {}

  // total = the sum of all shards, layers from `first_layer` on. The tree of base/pairwise_tree.h, and not the number
  // of threads, decides the rounding.
  void reduce(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total, Threads& threads);

 private:
  std::vector<const float*> parts_;  // of the layer at hand, one per shard
};

}  // namespace firn::training
