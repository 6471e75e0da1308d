// The head: outputs are summed in equal contiguous groups, divided by tau, and shifted.
#pragma once

#include <string>

#include "firn/model/layer.h"

namespace firn {

class GroupSumLayer final : public Layer {
 public:
  // score = offset + scale / tau * sum of the group; any number of groups, one included.
  GroupSumLayer(std::string name, Shape in, std::size_t groups, float tau, float offset = 0, float scale = 1);

  float factor() const { return factor_; }
  float offset() const { return offset_; }
  std::size_t group_rows() const { return input().shape.size() / output().shape.size(); }

  std::size_t gradient_run() const override { return group_rows(); }
  std::size_t forward_applications() const override { return 0; }
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  std::string describe() const override;

 private:
  float factor_, offset_;
};

}  // namespace firn
