// OR-pooling on its own: the maximum over 2 x 2 positions, whose gradient goes to the first winner.
#pragma once

#include <string>
#include <vector>

#include "firn/model/layer.h"

namespace firn {

class OrPoolLayer final : public Layer {
 public:
  OrPoolLayer(std::string name, Shape in);

  bool writes_images() const override { return true; }
  std::size_t winner_rows() const override { return output().shape.size(); }
  std::size_t forward_applications() const override { return 0; }  // fixed, not a gate that is learned
  void forward(const ForwardRows& rows) const override;
  void backward(const BackwardRows& rows) const override;
  std::vector<NamedBooleanLayer> harden() const override;
  std::string describe() const override { return "or_pool 2x2"; }
};

}  // namespace firn
