// A network in double that follows the replacement of one neuron through nothing but the neuron's cone.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "firn/diagnose/mixtures.h"
#include "firn/diagnose/seed.h"
#include "firn/diagnose/slot_stage.h"
#include "firn/diagnose/task_loss.h"
#include "firn/diagnose/unit_stage.h"
#include "firn/model/model.h"

namespace firn::diagnose {

// Up to sixteen samples with everything the relaxed network computes for them.
struct Block {
  std::size_t samples = 0;
  std::vector<std::uint16_t> labels;
  std::vector<std::vector<Lanes>> values;  // values[s] [features] is the input of stage s; the last one feeds the head
  std::vector<Lanes> class_sums;           // [outputs]
};

// What one worker needs to follow changes. Made once and used for neuron after neuron.
struct ConeScratch {
  std::vector<ChangeSet> changes;                     // of the input of each stage; those of the last one are added up
  std::vector<std::vector<std::uint64_t>> is_marked;  // per stage: a bit for every output that reads a change
  std::vector<Lanes> sum_changes;                     // of the class sums, [outputs][kChangeRows]
};

class ConeNetwork {
 public:
  // The wiring and weights of the model as they are now. Border rows do not exist here: features are numbered as in
  // Shape.
  ConeNetwork(const Model& model, const TaskLoss& loss, double temperature);

  const Mixtures& mixtures() const { return mixtures_; }
  const TaskLoss& loss() const { return loss_; }
  std::size_t inputs() const { return input_layout_.shape.size(); }
  const RowLayout& input_layout() const { return input_layout_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t positions(std::size_t neuron) const;  // where the neuron acts, losers of a pool included

  Block make_block() const;
  ConeScratch make_scratch() const;

  // From values[0], samples and labels of the block: everything else in it.
  void forward(Block& block) const;
  // Sum of the losses of the block's samples.
  double risk(const Block& block) const;

  // Adds the block's gradients in the mixture weights, raw: see gradient().
  void backward(const Block& block, std::vector<Weights16>& sums) const;
  // From raw sums: the gradient of the summed loss in the sixteen weights of a neuron.
  Weights16 gradient(std::size_t neuron, const Weights16& sums) const;
  // S_k = sum over h of q_h (G_k - G_h)
  Weights16 scores(std::size_t neuron, const Weights16& sums) const;

  // Lets the changes of `seed` travel to the class sums. Rule is Difference or Derivatives; at most Rule::kTogether
  // replacements. Leaves the rows of every output in scratch.sum_changes and fills seed.squares.
  template <class Rule>
  void follow(const Block& block, Seed& seed, ConeScratch& scratch) const;
  Seed make_seed(std::size_t neuron, std::span<const std::uint8_t> slots, const Block& block) const;

  // Of all pooled outputs and samples of the block: how many there are, and how many have no single winner.
  struct Ties {
    std::size_t tied = 0, pooled = 0;
  };
  Ties ties(const Block& block) const;

 private:
  using Stage = std::variant<UnitStage, SlotStage>;
  // Which outputs read a feature: readers[first[f]] to readers[first[f + 1]].
  struct Readers {
    std::vector<std::uint32_t> first, readers;
  };
  struct Home {
    std::uint32_t stage = 0, first_output = 0;
  };

  void add_stage(Stage stage);
  void find_homes();
  template <class Rule>
  bool follow_output(const Block& block, std::size_t stage, std::size_t output, Seed* seed, std::size_t together,
                     ConeScratch& scratch) const;
  void add_to_class_sums(std::size_t output, const Lanes* change, std::size_t rows, ConeScratch& scratch) const;

  Mixtures mixtures_;
  const TaskLoss& loss_;
  RowLayout input_layout_;
  std::vector<Stage> stages_;
  std::vector<Readers> readers_;  // per stage
  std::vector<Home> homes_;       // per neuron
  Head head_;
  std::size_t outputs_ = 0, group_rows_ = 1;
};

extern template void ConeNetwork::follow<Difference>(const Block&, Seed&, ConeScratch&) const;
extern template void ConeNetwork::follow<Derivatives>(const Block&, Seed&, ConeScratch&) const;

}  // namespace firn::diagnose
