// Where the sums of all shards meet: in a fixed pairwise tree over their index, whoever computed them.
//
// With several ranks, each owns consecutive shards and forms every node of the tree that lies among them. The neurons
// are divided among the ranks, too: a rank gets what the others have formed of its neurons, forms the rest of the tree
// for them, and passes the totals on. So every rank sends and receives the sums twice, less its own part, however many
// ranks there are; if the nodes met on one rank instead, it would receive them log2(ranks) times over. Which rank
// forms a node makes no difference to its bits.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"

namespace firn::training {

// A node of the tree: the sum of shards [first, first + count).
struct TreeNode {
  std::size_t first, count;
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

// The largest nodes of the tree over `count` items that lie within a share of them, from left to right.
std::vector<TreeNode> largest_nodes(std::size_t count, const RankShare& share);

class Reducer {
 public:
  Reducer(const Model& model, std::size_t shards, Ranks& ranks);

  // The shards that this rank computes.
  const RankShare& own() const { return own_; }

  // total = the sum of all shards, layers from `first_layer` on, for neurons that are not frozen; the rest of it is
  // left as it was. The tree of base/pairwise_tree.h, and not the number of threads or ranks, decides the rounding.
  // Where total has no room for a layer (an empty matrix), it is left out, for add_rows() to do.
  // `shards` are our own, `losses` are those of all shards, of which ours are known before and all of them afterwards.
  void reduce(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total,
              std::vector<LossSum>& losses, Threads& threads);

  // Sums of a layer row by row of sixteen, for whoever reads a row once and need not store it: rows numbered from
  // `first`, of the shards of the last reduce(), which must still be there. Only alone: ranks exchange whole layers.
  bool adds_rows() const { return ranks_.is_alone(); }
  void add_rows(std::size_t layer, std::size_t first, const RowList& rows, float* sums) const;

 private:
  // Sums that are still needed, as a stretch of a layer's floats that lies at `packed` of a packed array.
  struct Stretch {
    std::size_t layer, first, count, packed;
  };
  // Sums of a layer that one thread adds up at a time, counted in rows of sixteen.
  struct SumBlock {
    std::size_t layer, first, rows;
  };

  void reduce_alone(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total, Threads& threads);
  void list_live_sums(std::size_t first_layer);
  void form_own_nodes(const std::vector<ShardSums>& shards, std::size_t first_layer, Threads& threads);
  void exchange_nodes(std::vector<LossSum>& losses);
  void form_own_totals(Threads& threads);
  void exchange_totals();
  RankShare block_of(int rank) const;  // of the packed floats: those whose totals a rank forms

  const Model& model_;
  Ranks& ranks_;
  RankShare own_;
  std::size_t shards_;
  std::vector<const float*> parts_;           // one per shard: of every layer alone, of the layer at hand with ranks
  std::vector<std::vector<TreeNode>> nodes_;  // of every rank
  // Alone only.
  std::vector<SumBlock> blocks_;  // of all layers
  // With several ranks only.
  std::vector<Stretch> live_;
  std::vector<bool> is_live_;          // rows of the layer at hand
  std::size_t live_floats_ = 0;        // a multiple of 16
  ShardSums node_sums_;                // of the node at hand
  std::vector<Matrix<float>> formed_;  // our own nodes, packed
  std::vector<Matrix<float>> heard_;   // our block of every node, by the node's first shard; sums grow here
  Matrix<float> totals_;               // packed
  struct Addition {
    const float* parts[2];
    float* sum;
  };
  std::vector<Addition> additions_;  // that are left to do in our block, in order
  std::vector<Ranks::Outgoing> outgoing_;
  std::vector<Ranks::Incoming> incoming_;
};

}  // namespace firn::training
