// Convolution by trees of gates, with OR-pooling: every filter is a tree whose leaves lie in a window.
#pragma once

#include <string>

#include "firn/network/kind.h"

namespace firn::network {

struct TreeConvSettings final : LayerSettings {
  std::size_t filters = 0;
  std::size_t depth = 3;
  std::size_t window = 3, padding = 1, stride = 1;
  std::size_t pool = 1;
  std::string channels = "two-distinct";  // a channel rule

  void declare(KeyTable& keys) override;
  LayerDescription build(const LayerPlace& place) const override;
  // The same with leaves from any stream of random numbers.
  LayerDescription draw(const LayerPlace& place, RandomSequence& random) const;
  std::size_t gates() const { return (std::size_t{1} << depth) - 1; }  // of one tree
};

}  // namespace firn::network
