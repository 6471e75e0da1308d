#include "firn/study/memory_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include "firn/base/memory.h"
#include "firn/network/families.h"

namespace firn::study {

namespace {

constexpr double kFloat = 4, kSlotsOfNeuron = 16;
constexpr double kOptimizerArrays = 5;  // logits, weights, scores and two moments
constexpr double kRowsOfSample = 3;     // a layer's values, and gradients of two layers

double number(const ListedLayer& layer, std::string_view key, double usual) {
  for (const auto& [name, value] : layer.values)
    if (const auto* found = name == key ? std::get_if<std::int64_t>(&value) : nullptr)
      return static_cast<double>(*found);
  return usual;
}

bool has_slots(const ListedLayer& layer) {
  return layer.kind.starts_with("slot-");
}

double neurons_of(const ListedLayer& layer) {
  const double gates = layer.kind == "tree-conv" ? std::exp2(number(layer, "depth", 3)) - 1
                       : layer.kind == "chain"   ? number(layer, "gates", 4)
                                                 : 1;
  return gates * std::max(number(layer, "outputs", 0), number(layer, "filters", 0));
}

// The keys that make the network smaller.
std::string keys_of(const ModelSettings& model) {
  if (model.family == "list") return "outputs or filters of the layers";
  if (model.family == "dense") return "model.width or model.layers";
  return model.head_multiplier > 1 ? "model.width or model.head_multiplier" : "model.width";
}

}  // namespace

std::size_t bits_per_value(const EncodeSettings& encode) {
  return find_encoding(encode.encoding).is_thermometer ? encode.thresholds : 1;
}

Shape encoded_shape(const EncodeSettings& encode, const Shape& sample) {
  return {sample.channels * bits_per_value(encode), sample.height, sample.width};
}

double training_bytes(const Config& config, const Shape& encoded_sample, int threads) {
  const double shards = std::ceil(static_cast<double>(config.train.batch) / static_cast<double>(config.train.shard));
  const double sample_rows = kRowsOfSample * kFloat * static_cast<double>(config.train.shard) * threads;
  double bytes = sample_rows * static_cast<double>(encoded_sample.size());
  double area = static_cast<double>(encoded_sample.height * encoded_sample.width);
  for (const ListedLayer& layer : expand_layers(config.model, encoded_sample)) {
    const double neurons = neurons_of(layer);
    const double sums = has_slots(layer) ? kSlotsOfNeuron : 4, wires = has_slots(layer) ? kSlotsOfNeuron : 1;
    bytes += neurons * (kOptimizerArrays * kSlotsOfNeuron * kFloat + 3 * wires * kFloat + (shards + 1) * sums * kFloat);
    const bool is_convolution = layer.kind.ends_with("-conv");
    if (is_convolution) area /= std::pow(number(layer, "stride", 1) * number(layer, "pool", 1), 2);
    bytes += sample_rows * (is_convolution ? number(layer, "filters", 0) * std::max(area, 1.0) : neurons);
  }
  return bytes;
}

double logit_bytes(const Config& config, const Shape& encoded_sample) {
  const LayerKinds standard = standard_layer_kinds();
  double neurons = 0;
  for (const ListedLayer& layer : expand_layers(config.model, encoded_sample))
    if (std::ranges::find(standard, layer.kind, &LayerKind::name) != standard.end()) neurons += neurons_of(layer);
  return neurons * kSlotsOfNeuron * kFloat;
}

void check_memory(const Config& config, const Shape& sample, int threads) {
  const Shape encoded = encoded_shape(config.encode, sample);
  require_memory(training_bytes(config, encoded, threads), "training this network", keys_of(config.model));
}

}  // namespace firn::study
