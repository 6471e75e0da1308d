// A random circuit on a table of real numbers whose names are awkward, with and without numbers for missing values.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "firn/infer/model_file.h"
#include "tests/support/random_networks.h"

namespace firn {

inline constexpr std::size_t kFeatures = 5, kThresholds = 4;

// Five features with four thresholds each, three classes or one group.
inline CircuitModel model_on_reals(std::size_t groups) {
  const float values[kThresholds][kFeatures] = {{-3.5f, 0.1f, -200.f, 0.f, 1.5f},
                                                {-1.f, 0.1f, -0.25f, 1e-20f, 2.3f},
                                                {0.f, 0.2f, 17.75f, 3e-20f, 2.301f},
                                                {2.7f, 100.f, 900.f, 1.f, 2.302f}};
  Matrix<float> thresholds(kThresholds, kFeatures);
  for (std::size_t t = 0; t < kThresholds; ++t) std::copy_n(values[t], kFeatures, thresholds[t].begin());
  Encoder encoder = Encoder::from_parts({"distributive", "reals", {kFeatures, 1, 1}, thresholds});
  RandomSequence random(groups, "test/numbers");
  BooleanNetwork network{{kFeatures * kThresholds, 1, 1}, {}, {.groups = groups, .factor = 0.5f, .offset = -3}};
  network.layers.push_back(random_boolean_dense(kFeatures * kThresholds, 60, random));
  network.layers.push_back(random_boolean_dense(60, 12 * groups, random));
  for (std::size_t l = 0; l < network.layers.size(); ++l) network.layers[l].wiring.name = fmt::format("layer{}", l);
  std::vector<std::string> names = {"yes */", "no \"really\""};
  if (groups == 3) names.push_back("perhaps\\");
  const std::vector<std::string> features = {"age", "a */ b", "3", "gr\u00f6\u00dfe", "two\nlines"};
  return {"", names, std::move(encoder), std::move(network), {}, schema_of_names(features, CellValues::kReals)};
}

// The model fills in three of five features.
inline CircuitModel filled_model() {
  CircuitModel model = model_on_reals(3);
  const double fills[] = {-0.5, 0.15, 1000};
  for (std::size_t c = 0; c < std::size(fills); ++c) model.schema->columns[c].fill = fills[c];
  return model;
}

}  // namespace firn
