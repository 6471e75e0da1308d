#include "firn/model/layers/group_sum.h"

#include <fmt/core.h>

#include "firn/base/error.h"
#include "firn/kernels/dense.h"

namespace firn {

GroupSumLayer::GroupSumLayer(std::string name, Shape in, std::size_t groups, float tau, float offset, float scale)
    : Layer(name, {in, 0}, {{groups, 1, 1}, 0}), factor_(scale / tau), offset_(offset) {
  if (groups == 0 || in.size() % groups != 0)
    throw Error(
        fmt::format("layer {}: {} outputs cannot be cut into {} equal groups; change the width of the last layer", name,
                    in.size(), groups));
}

void GroupSumLayer::forward(const ForwardRows& rows) const {
  group_sum_forward(output().shape.size(), group_rows(), factor_, offset_, rows.samples, rows.in, rows.out);
}

void GroupSumLayer::backward(const BackwardRows& rows) const {
  if (rows.grad_in == nullptr) return;
  group_sum_backward(output().shape.size(), group_rows() / rows.grad_in_run, factor_, rows.samples, rows.grad_out,
                     rows.grad_in);
}

std::string GroupSumLayer::describe() const {
  return fmt::format("group_sum of {} outputs, factor {:.4g}", group_rows(), factor_);
}

}  // namespace firn
