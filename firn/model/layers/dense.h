// Dense layers of relaxed gates, one or several in a row, each gate with one fixed pair of inputs.
#pragma once

#include <string>
#include <vector>

#include "firn/model/layer.h"
#include "firn/model/wiring.h"

namespace firn {

// Consecutive layers where every hidden output feeds exactly one gate (2:1 tapers under the "random" wiring) are
// disjoint trees. They run as one tree kernel without storing what is between them; otherwise a stack has a single
// layer.
class DenseStackLayer final : public Layer {
 public:
  struct Level {
    std::string name;
    std::vector<WirePair> wires;  // features of the level below
  };

  DenseStackLayer(Shape in, std::vector<Level> levels, const Initialization& init, RandomSequence& random);

  // May `above` join a stack whose last level is `width` wide? True if it reads every input exactly once.
  static bool is_matching(const std::vector<WirePair>& above, std::size_t width);

  // [neurons][2] features of the level below.
  const std::vector<std::uint32_t>& wires(std::size_t level) const { return groups_[level].wires; }

  std::size_t forward_applications() const override;
  std::size_t sum_rows() const override { return place_count_; }
  void prepare(Threads& threads) override;
  bool reads_gradient_runs() const override { return true; }
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  void weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                       float* grad_weights) const override;
  std::vector<NamedBooleanLayer> harden() const override;
  void visit_state(StateVisitor& visitor) override;
  void rewire() override;
  std::string describe() const override;

 private:
  struct Group {
    Neurons neurons;
    std::vector<std::uint32_t> wires;  // [neurons][2]
    std::vector<std::uint32_t> place;  // [neurons] row of this gate among all gates in tree order
  };
  bool is_single() const { return groups_.size() == 1; }
  std::size_t trees() const { return output().shape.size(); }
  void place_tree(std::size_t level, std::uint32_t neuron, std::size_t tree, std::size_t index);
  struct TreeConv tree_kernel() const;
  struct DenseGates dense_kernel() const;

  std::vector<Group> groups_;  // from the input side
  std::size_t place_count_ = 0;
  std::vector<std::uint32_t> leaf_rows_;  // [trees][2^levels] input rows
  Matrix<float> coefficients_;            // [gates in tree order][4]
  std::vector<std::uint8_t> is_frozen_;   // [gates in tree order]
};

}  // namespace firn
