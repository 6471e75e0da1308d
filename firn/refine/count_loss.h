// The loss of a sample as a function of the whole numbers that the head counts, and its exact change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/network/head.h"
#include "firn/train/loss.h"

namespace firn::refine {

// May be used from many threads at once.
class CountLoss {
 public:
  // Refuses a head that predicts values. Counts of a group lie between 0 and group_rows.
  CountLoss(const training::Loss& loss, const network::Head& head, std::size_t group_rows);

  std::size_t groups() const { return head_.groups; }

  double value(std::span<const std::int32_t> counts, std::uint16_t label) const;
  std::uint16_t predicted(std::span<const std::int32_t> counts) const;

  // What `change` wants to know about a sample besides its counts: the softmax of its class sums, under cross-entropy.
  void prepare(std::span<const std::int32_t> counts, std::span<double> softmax) const;

  // value(counts + delta) - value(counts).
  double change(std::span<const std::int32_t> counts, std::span<const double> softmax, std::uint16_t label,
                std::span<const std::int32_t> delta) const;

 private:
  double weight(std::uint16_t label) const;
  double softmax_change(std::span<const double> softmax, std::uint16_t label,
                        std::span<const std::int32_t> delta) const;

  training::Loss loss_;
  network::Head head_;
  bool is_softmax_;
  std::int32_t limit_ = 0;             // changes of a count up to here are in the table
  std::vector<double> growth_;         // [2 * limit_ + 1] exp(factor * k) - 1 for k from -limit_ on
  std::vector<double> single_output_;  // [2][group_rows + 1] by label and count, where there is one group
};

}  // namespace firn::refine
