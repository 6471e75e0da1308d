// The model families of the field, built from a handful of settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/shape.h"
#include "firn/model/model.h"

namespace firn {

struct ModelSettings {
  std::string family = "treelogicnet";    // treelogicnet | compact | dense
  std::size_t width = 32;                 // k of the convolutional families; gates per layer of the dense one
  std::size_t layers = 6;                 // dense: number of layers
  std::size_t head_multiplier = 1;        // treelogicnet: factor on the three dense layers
  std::size_t tree_depth = 3;             // treelogicnet
  std::string topology = "auto";          // treelogicnet: cifar | mnist; auto: by the size of the image
  std::string first_channels = "one";     // treelogicnet: channel rule of the first block
  std::string channels = "two-distinct";  // treelogicnet: channel rule of the later blocks
  std::string wiring = "random";          // of shared-pair dense layers: random | unique | random-unique
  std::string init = "residual";          // residual | gaussian
  double residual = 0;                    // logit of gate "a"; 0: 5 for shared pairs, ln 135 for compact
  double tau = 0;                         // of the head; 0: 20 * sqrt(outputs per class / 1024)
};

// The families by name, for help texts and checks.
std::vector<std::string_view> model_families();

// Layers for an encoded input of the given shape; equal seeds give equal models. `outputs` is the number of classes.
std::unique_ptr<Model> build_model(const ModelSettings& settings, Shape input, std::size_t outputs, std::uint64_t seed);

}  // namespace firn
