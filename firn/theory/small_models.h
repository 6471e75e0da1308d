// Small models to reason about: dense layers, trees, and trees whose filters are shared by several positions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/model/model.h"
#include "firn/theory/problem.h"

namespace firn::theory {

struct SmallModelSettings {
  std::string kind = "dense";             // dense | tree | shared
  std::vector<std::size_t> widths = {4};  // dense: gates of each layer
  std::size_t trees = 1;                  // tree and shared: trees, or filters
  std::size_t depth = 2;                  // of a tree
  std::string loss = "bce";               // two scores for cross-entropy, else one
  double scale = 4;                       // scores of all outputs together span this much
  double spread = 2;                      // standard deviation of the random logits
  std::uint64_t seed = 1;                 // of wiring and logits
};

// A dense model reads `inputs` bits in random pairs; the trees of a tree model pick any inputs; a shared model sees
// them as a square image and moves a 2 x 2 window over it.
SmallNetwork make_small_network(const SmallModelSettings& settings, std::size_t inputs);

// The head that all small models use: sums centred at 0 for bce, at 1/2 for squared, from 0 for cross-entropy.
Head make_small_head(std::size_t outputs, std::string_view loss, double scale);

}  // namespace firn::theory
