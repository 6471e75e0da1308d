// What a change of the sums does to the loss of one sample: the exact difference, and two derivatives.
#pragma once

#include <cstddef>
#include <string_view>

#include "firn/diagnose/lanes.h"

namespace firn::diagnose {

// Scores of one sample: lane `lane` of `outputs` rows that are `stride` apart.
struct ClassSumView {
  const Lanes* rows;
  std::size_t outputs, stride, lane;

  double operator[](std::size_t c) const { return rows[c * stride].v[lane]; }
};

struct Curve {
  double first, second;
};

struct TaskLoss {
  std::string_view name;
  double (*value)(const ClassSumView& sums, std::size_t label);
  void (*gradient)(const ClassSumView& sums, std::size_t label, double* grad);  // [outputs]
  // loss(sums + change) - loss(sums), with all the digits of the change
  double (*difference)(const ClassSumView& sums, std::size_t label, const ClassSumView& change);
  // Derivatives of the loss in t for sums that have the derivatives `first` and `second`.
  Curve (*curve)(const ClassSumView& sums, std::size_t label, const ClassSumView& first, const ClassSumView& second);
};

// "cross-entropy", "bce" or "squared", as in training.
const TaskLoss& task_loss_from_name(std::string_view name);

}  // namespace firn::diagnose
