#include "firn/train/reducer.h"

#include <algorithm>
#include <cstring>

#include "firn/base/error.h"
#include "firn/base/pairwise_tree.h"
#include "firn/kernels/update.h"

namespace firn::training {

namespace {

void append_nodes(const TreeNode& node, const RankShare& share, std::vector<TreeNode>& nodes) {
  const std::size_t end = node.first + node.count;
  if (end <= share.first || node.first >= share.last) return;
  if (node.first >= share.first && end <= share.last) {
    nodes.push_back(node);
    return;
  }
  const std::size_t split = tree_split(node.count);
  append_nodes({node.first, split}, share, nodes);
  append_nodes({node.first + split, node.count - split}, share, nodes);
}

}  // namespace

std::vector<TreeNode> largest_nodes(std::size_t count, const RankShare& share) {
  std::vector<TreeNode> nodes;
  append_nodes({0, count}, share, nodes);
  return nodes;
}

Reducer::Reducer(const Model& model, std::size_t shards, Ranks& ranks)
    : model_(model), ranks_(ranks), own_(ranks.own_share(shards)), shards_(shards) {
  if (ranks.is_alone()) {
    for (std::size_t l = 0; l < model.layer_count(); ++l)
      for (std::size_t first = 0, rows = model.sum_blocks(l); first < rows; first += kRowBlock)
        blocks_.push_back({l, first, std::min(kRowBlock, rows - first)});
    parts_.resize(model.layer_count() * shards);
    return;
  }
  parts_.resize(shards);
  for (int rank = 0; rank < ranks.size(); ++rank) nodes_.push_back(largest_nodes(shards, ranks.share_of(rank, shards)));
  node_sums_ = model.make_sums();
  std::size_t floats = 0;
  for (const Matrix<float>& layer : node_sums_.layers) floats += layer.rows() * kSlots;
  totals_ = Matrix<float>(1, floats);
  formed_.assign(nodes_[static_cast<std::size_t>(ranks.rank())].size(), Matrix<float>(1, floats));
  heard_.resize(shards);
  // Blocks are whole rows of sixteen: one more than an equal part at the most.
  const std::size_t block = (floats / kSlots / static_cast<std::size_t>(ranks.size()) + 1) * kSlots;
  for (const std::vector<TreeNode>& nodes : nodes_)
    for (const TreeNode& node : nodes) heard_[node.first] = Matrix<float>(1, block);
}

void Reducer::reduce(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total,
                     std::vector<LossSum>& losses, Threads& threads) {
  FIRN_CHECK(shards.size() == own_.count() && losses.size() == shards_);
  if (ranks_.is_alone()) return reduce_alone(shards, first_layer, total, threads);
  list_live_sums(first_layer);
  form_own_nodes(shards, first_layer, threads);
  exchange_nodes(losses);
  form_own_totals(threads);
  exchange_totals();
  for (const Stretch& s : live_)
    std::memcpy(total.layers[s.layer].data() + s.first, totals_.data() + s.packed, s.count * sizeof(float));
}

void Reducer::reduce_alone(const std::vector<ShardSums>& shards, std::size_t first_layer, ShardSums& total,
                           Threads& threads) {
  for (std::size_t l = 0; l < total.layers.size(); ++l)
    for (std::size_t s = 0; s < shards_; ++s) parts_[l * shards_ + s] = shards[s].layers[l].data();
  threads.for_each(blocks_.size(), [&](std::size_t b, std::size_t) {
    const SumBlock& block = blocks_[b];
    if (block.layer < first_layer || total.layers[block.layer].rows() == 0) return;
    add_shards(shards_, &parts_[block.layer * shards_], block.first * kSlots, block.rows * kSlots,
               total.layers[block.layer].data());
  });
}

void Reducer::add_rows(std::size_t layer, std::size_t first, const RowList& rows, float* sums) const {
  FIRN_CHECK(adds_rows());
  add_shard_rows(shards_, &parts_[layer * shards_], first, rows, sums);
}

// What is frozen is the same on all ranks, so that they agree about this without a word.
void Reducer::list_live_sums(std::size_t first_layer) {
  live_.clear();
  live_floats_ = 0;
  for (std::size_t l = first_layer; l < model_.layer_count(); ++l) {
    const Layer& layer = model_.layer(l);
    const std::size_t width = layer.sum_width();
    is_live_.assign(layer.sum_rows(), false);
    for (std::size_t index = 0; index < layer.neurons().size(); ++index) {
      const Neurons& neurons = *layer.neurons()[index];
      for (std::size_t i = 0; i < neurons.count(); ++i)
        is_live_[layer.sum_row(index, i)] = neurons.frozen[i] == kNotFrozen;
    }
    for (std::size_t end = 0;;) {
      const auto first = static_cast<std::size_t>(
          std::find(is_live_.begin() + static_cast<std::ptrdiff_t>(end), is_live_.end(), true) - is_live_.begin());
      if (first == is_live_.size()) break;
      end = static_cast<std::size_t>(
          std::find(is_live_.begin() + static_cast<std::ptrdiff_t>(first), is_live_.end(), false) - is_live_.begin());
      live_.push_back({l, first * width, (end - first) * width, live_floats_});
      live_floats_ += (end - first) * width;
    }
  }
  live_floats_ = (live_floats_ + kSlots - 1) / kSlots * kSlots;
}

void Reducer::form_own_nodes(const std::vector<ShardSums>& shards, std::size_t first_layer, Threads& threads) {
  const std::vector<TreeNode>& nodes = nodes_[static_cast<std::size_t>(ranks_.rank())];
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const ShardSums* first = &shards[nodes[n].first - own_.first];
    const ShardSums* sums = first;
    if (nodes[n].count > 1) {
      for (std::size_t l = first_layer; l < node_sums_.layers.size(); ++l) {
        Matrix<float>& sum = node_sums_.layers[l];
        for (std::size_t s = 0; s < nodes[n].count; ++s) parts_[s] = first[s].layers[l].data();
        for_each_block(sum.rows(), threads, [&](std::size_t row, std::size_t rows) {
          add_shards(nodes[n].count, parts_.data(), row * kSlots, rows * kSlots, sum.data());
        });
      }
      sums = &node_sums_;
    }
    for (const Stretch& s : live_)
      std::memcpy(formed_[n].data() + s.packed, sums->layers[s.layer].data() + s.first, s.count * sizeof(float));
  }
}

RankShare Reducer::block_of(int rank) const {
  const RankShare rows = ranks_.share_of(rank, live_floats_ / kSlots);
  return {rows.first * kSlots, rows.last * kSlots};
}

// Sums go to whoever forms their total, losses to everybody.
void Reducer::exchange_nodes(std::vector<LossSum>& losses) {
  outgoing_.clear();
  incoming_.clear();
  const RankShare ours = block_of(ranks_.rank());
  const auto losses_of = [&](int rank) {
    const RankShare share = ranks_.share_of(rank, shards_);
    return std::span(losses).subspan(share.first, share.count());
  };
  for (int other = 0; other < ranks_.size(); ++other) {
    if (other == ranks_.rank()) continue;
    const RankShare theirs = block_of(other);
    if (theirs.count() > 0)
      for (const Matrix<float>& sums : formed_)
        outgoing_.push_back({other, std::as_bytes(std::span(sums.data() + theirs.first, theirs.count()))});
    if (ours.count() > 0)
      for (const TreeNode& node : nodes_[static_cast<std::size_t>(other)])
        incoming_.push_back({other, std::as_writable_bytes(std::span(heard_[node.first].data(), ours.count()))});
    if (own_.count() > 0) outgoing_.push_back({other, std::as_bytes(losses_of(ranks_.rank()))});
    if (!losses_of(other).empty()) incoming_.push_back({other, std::as_writable_bytes(losses_of(other))});
  }
  ranks_.exchange(outgoing_, incoming_);
}

void Reducer::form_own_totals(Threads& threads) {
  const RankShare ours = block_of(ranks_.rank());
  if (ours.count() == 0) return;
  std::ranges::fill(parts_, nullptr);
  for (const std::vector<TreeNode>& nodes : nodes_)
    for (const TreeNode& node : nodes) parts_[node.first] = heard_[node.first].data();
  const std::vector<TreeNode>& own = nodes_[static_cast<std::size_t>(ranks_.rank())];
  for (std::size_t n = 0; n < own.size(); ++n) parts_[own[n].first] = formed_[n].data() + ours.first;
  // Level by level; a node without a right child in the list was formed by the rank that owns all of it.
  additions_.clear();
  for (std::size_t reach = 1; reach < shards_; reach *= 2)
    for (std::size_t left = 0; left + reach < shards_; left += 2 * reach)
      if (parts_[left + reach] != nullptr) {
        additions_.push_back({{parts_[left], parts_[left + reach]}, heard_[left].data()});
        parts_[left] = heard_[left].data();
      }
  for_each_block(ours.count() / kSlots, threads, [&](std::size_t first, std::size_t rows) {
    for (const Addition& addition : additions_)
      add_shards(2, addition.parts, first * kSlots, rows * kSlots, addition.sum);
    std::memcpy(totals_.data() + ours.first + first * kSlots, parts_[0] + first * kSlots,
                rows * kSlots * sizeof(float));
  });
}

void Reducer::exchange_totals() {
  outgoing_.clear();
  incoming_.clear();
  const auto totals_of = [&](int rank) {
    const RankShare block = block_of(rank);
    return std::as_writable_bytes(std::span(totals_.data() + block.first, block.count()));
  };
  for (int other = 0; other < ranks_.size(); ++other) {
    if (other == ranks_.rank()) continue;
    if (!totals_of(ranks_.rank()).empty()) outgoing_.push_back({other, totals_of(ranks_.rank())});
    if (!totals_of(other).empty()) incoming_.push_back({other, totals_of(other)});
  }
  ranks_.exchange(outgoing_, incoming_);
}

}  // namespace firn::training
