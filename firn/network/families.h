// The network families of the field: settings that stand for a list of layers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/shape.h"
#include "firn/network/kind.h"
#include "firn/network/network.h"

namespace firn::network {

struct ModelSettings {
  std::string family = "treelogicnet";    // treelogicnet | compact | dense, or list
  std::size_t width = 32;                 // k of the convolutional families; gates per layer of the dense one
  std::size_t layers = 6;                 // dense: number of layers
  std::size_t head_multiplier = 1;        // treelogicnet: factor on the three dense layers
  std::size_t tree_depth = 3;             // treelogicnet
  std::string topology = "auto";          // treelogicnet: cifar | mnist; auto: by the size of the image
  std::string first_channels = "one";     // treelogicnet: channel rule of the first block
  std::string channels = "two-distinct";  // treelogicnet: channel rule of the later blocks
  std::string wiring = "random";          // of dense layers: a name in wirings(), "anchored" or "learned"
  std::string init = "residual";          // residual | gaussian
  double residual = 0;                    // logit of gate "a"; 0: 5, or ln 135 where neurons have slots of their own
  double tau = 0;                         // of the head; 0: 20 * sqrt(outputs per class / 1024)
  std::vector<ListedLayer> layer = {};    // list: the layers
};

// An Error where settings have no effect or contradict each other.
void check_settings(const ModelSettings& settings);

// The families by name, for help texts and checks.
std::vector<std::string_view> model_families();

// The layers that the settings stand for: those listed, or those of the family written out.
std::vector<ListedLayer> expand_layers(const ModelSettings& settings, const Shape& input);

// A network for an encoded input of the given shape, wiring drawn; equal seeds give equal networks. `outputs` is the
// number of groups that the head counts; channels c, c + C, c + 2C, ... of the input are `bits_per_value` bits of one
// value.
NetworkDescription describe_network(const ModelSettings& settings, const Shape& input, std::size_t outputs,
                                    std::uint64_t seed, const LayerKinds& kinds, std::size_t bits_per_value = 1);

// A head that counts `features` outputs in `groups` equal groups; tau = 0 takes 20 * sqrt(group / 1024).
Head describe_head(std::size_t features, std::size_t groups, double tau);

}  // namespace firn::network
