// In which order the gradients of a pooled tree's leaves are added to the rows that the leaves read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/kernels/placements.h"

namespace firn::kernels {

// One leaf at some of the four placements of the pool.
struct PushStep {
  std::uint8_t leaf = 0, count = 0;
  std::uint8_t placements[4] = {};
};

// The rows of neighbouring leaves and placements overlap: added to one output after the other, a row is loaded while it
// is still on its way to L1 from the last addition. So a step is made for many outputs, whose rows differ, before the
// next step. Each row still receives in the order of outputs, placements and leaves, and sums have the same bits.
//
// That order says which step comes first wherever two of them add to the same rows, which depends on whether these are
// even or odd. Most leaves can do all four placements in one step; where they are in one another's way, a leaf takes
// more than one.
class TreePushes {
 public:
  // `leaves` [trees][leaves_per_tree]: input row read at output position (0, 0).
  TreePushes(const Placements& places, std::span<const std::uint32_t> leaves, std::size_t leaves_per_tree);

  std::span<const PushStep> operator[](std::size_t tree) const {
    return {steps_.data() + first_step_[tree], first_step_[tree + 1] - first_step_[tree]};
  }
  std::size_t planes() const { return planes_; }  // of the input, up to the last one that a leaf reads

 private:
  std::size_t planes_ = 0;
  std::vector<PushStep> steps_;
  std::vector<std::uint32_t> first_step_;  // of each tree, and one for the end
};

}  // namespace firn::kernels
