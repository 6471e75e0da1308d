// Settings that suit a data set: what a configuration leaves open is chosen here, for training and for `config init`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/value.h"
#include "firn/data/dataset.h"
#include "firn/network/kind.h"

namespace firn::study {

// A key, its value, and a few words that say why.
struct Suggestion {
  std::string key;
  Value value;
  std::string reason;
};

struct Suggestions {
  std::vector<Suggestion> keys;     // in the order of the configuration
  std::vector<ListedLayer> layers;  // where model.family is "list"
};

struct SuggestParams {
  std::size_t examples = 0;    // to train on
  bool may_convolve = true;    // false: dense layers whatever the shape
  std::size_t thresholds = 0;  // where somebody has chosen them already; 0: nobody has
};

// A function of shape, number of classes, number of examples and values; no random numbers, no clock.
//
// Tables and tiny images get dense layers and thresholds per feature, larger images convolutions of trees that are
// pooled down to a few pixels. Sizes were chosen on small tables of scikit-learn and the MONK's problems, by examples
// held out of their training sets, for training within a minute on one core: docs/your-own-data.md has the figures.
Suggestions suggest(const Dataset& data, const SuggestParams& params);

// The keys that suggest() may choose besides model.family, in the order of the configuration.
std::span<const std::string_view> suggested_keys();

}  // namespace firn::study
