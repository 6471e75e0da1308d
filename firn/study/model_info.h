// What there is to know about a model before or after training: its layers, its size and the memory it needs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/base/shape.h"
#include "firn/model/model.h"
#include "firn/study/config.h"

namespace firn::study {

struct LayerInfo {
  std::string name, kind;
  Shape output;
  std::size_t neurons = 0, frozen = 0;
  std::size_t applications = 0;  // of relaxed gates, for one sample
};

struct ModelInfo {
  std::vector<LayerInfo> layers;
  std::size_t logits = 0;
  std::size_t applications = 0;
  double training_megabytes = 0;  // on two threads, besides the data
};

ModelInfo info_of(const Model& model, const Config& config);

// The shape of an encoded sample. Image sets need not be there; of other data the files are read.
Shape encoded_sample_shape(const Config& config, const std::string& data_root);

// The model that a configuration describes. Image sets need not be there; of other data the files are read.
ModelInfo info_of(const Config& config, const std::string& data_root);

}  // namespace firn::study
