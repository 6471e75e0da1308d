// Convolution by trees of relaxed gates, fused with OR-pooling.
#pragma once

#include <string>
#include <vector>

#include "firn/model/layer.h"
#include "firn/model/wiring.h"

namespace firn {

struct TreeConvSettings {
  std::size_t kernels = 0;
  std::size_t depth = 3;  // 1..4
  std::size_t side = 3, padding = 1;
  std::size_t pool = 2;  // 1: none
  ChannelRule channels = ChannelRule::kTwoDistinct;
};

class TreeConvLayer final : public Layer {
 public:
  TreeConvLayer(std::string name, Shape in, const TreeConvSettings& settings, const Initialization& init,
                RandomSequence& random);

  bool writes_images() const override { return true; }
  const TreeConvSettings& settings() const { return settings_; }
  const std::vector<std::uint32_t>& leaf_channel() const { return leaf_channel_; }  // [kernels][2^depth]
  const std::vector<std::uint8_t>& leaf_place() const { return leaf_place_; }       // [kernels][2^depth]

  std::size_t winner_rows() const override;
  std::size_t forward_applications() const override;
  std::size_t backward_applications() const override;
  std::size_t sum_rows() const override { return neurons_.count(); }
  void prepare(Threads& threads) override;
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  void weight_gradient(std::size_t index, const float* sums, std::size_t first, std::size_t count,
                       float* grad_weights) const override;
  std::vector<NamedBooleanLayer> harden() const override;
  void visit_state(StateVisitor& visitor) override;
  void rewire() override;
  std::string describe() const override;

 private:
  struct TreeConv kernel() const;
  std::size_t leaves() const { return std::size_t{1} << settings_.depth; }

  TreeConvSettings settings_;
  Neurons neurons_;                          // [kernels][2^depth - 1]
  std::vector<std::uint32_t> leaf_channel_;  // [kernels][2^depth]
  std::vector<std::uint8_t> leaf_place_;     // [kernels][2^depth] line * side + column
  std::vector<std::uint32_t> leaf_rows_;     // [kernels][2^depth] input row at output position (0, 0)
  Matrix<float> coefficients_;               // [neurons][4]
  std::vector<std::uint8_t> is_frozen_;      // [neurons]
};

}  // namespace firn
