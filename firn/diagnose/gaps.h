// The gap between the relaxed and the discrete network: as a whole, layer by layer, and gate by gate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firn/diagnose/gate_census.h"
#include "firn/diagnose/interventions.h"
#include "firn/train/evaluate.h"
#include "firn/train/metrics.h"

namespace firn::diagnose {

struct LayerGap {
  std::string layer;
  std::size_t neurons = 0, frozen = 0;
  Risk discrete;  // this layer's argmax gates, everything else relaxed
  std::size_t constants = 0, wires = 0, dead = 0, not_nearest = 0;
};

struct LayeredGaps {
  std::size_t samples = 0;
  Gaps whole;
  std::vector<LayerGap> layers;
  std::vector<GateRow> gates;
};

// The model is changed while layers are swapped, and afterwards as it was. Its weights must be prepared anew.
LayeredGaps measure_gaps(Model& model, Evaluator& evaluator, const Examples& examples,
                         std::span<const std::uint32_t> indices, double temperature, const OnWork& on_work);

}  // namespace firn::diagnose
