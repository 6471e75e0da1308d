#include "firn/study/memory_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/base/memory.h"
#include "firn/network/families.h"

namespace firn::study {

namespace {

constexpr double kFloat = 4, kPacked = 2, kSlotsOfNeuron = 16;
constexpr double kRowOfSlots = kSlotsOfNeuron * kFloat;
constexpr double kEvaluators = 2, kSamplesOfEvaluator = 32;  // of the steps and of the test, on floats
constexpr double kBytesOnBits = 64;                          // of a row in a block of an evaluation on bits
constexpr double kGaps = 1.1;                                // small arrays, and gaps between the large ones
constexpr double kProgram = 20e6;

// What runs as one layer of a model.
struct Stage {
  double neurons = 0;
  double in_rows = 0, out_rows = 0, winner_rows = 0;  // of floats; the input with its border
  double bit_rows = 0;                                // of an evaluation on bits, which joins no layers
  bool has_slots = false, packs_input = false;
};

double number(const ListedLayer& layer, std::string_view key, double usual) {
  for (const auto& [name, value] : layer.values)
    if (const auto* found = name == key ? std::get_if<std::int64_t>(&value) : nullptr)
      return static_cast<double>(*found);
  return usual;
}

std::string_view word(const ListedLayer& layer, std::string_view key, std::string_view usual) {
  for (const auto& [name, value] : layer.values)
    if (const auto* found = name == key ? std::get_if<std::string>(&value) : nullptr) return *found;
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

// Side of an image behind a window, a margin and a pool.
double side_after(const ListedLayer& layer, double side) {
  const double places = side + 2 * number(layer, "padding", 1) - number(layer, "window", 3);
  const double stride = number(layer, "stride", 1), pool = number(layer, "pool", 1);
  return std::max(1.0, std::floor((std::floor(places / std::max(stride, 1.0)) + 1) / std::max(pool, 1.0)));
}

// Dense layers run as trees with the one before where each of its outputs feeds one gate: nothing between is stored.
bool joins(const ListedLayer& layer, const Stage& before, std::size_t depth) {
  constexpr std::size_t kMostLevels = 4;
  return layer.kind == "dense" && depth > 0 && depth < kMostLevels && word(layer, "wiring", "random") == "random" &&
         2 * number(layer, "outputs", 0) == before.out_rows;
}

std::vector<Stage> stages_of(const ModelSettings& model, const Shape& input) {
  std::vector<Stage> stages;
  double channels = static_cast<double>(input.channels);
  double height = static_cast<double>(input.height), width = static_cast<double>(input.width);
  std::size_t depth = 0;  // of the dense stage at hand
  for (const ListedLayer& layer : expand_layers(model, input)) {
    const double neurons = neurons_of(layer);
    if (!stages.empty() && joins(layer, stages.back(), depth)) {
      Stage& stage = stages.back();
      ++depth;
      stage.neurons += neurons;
      stage.bit_rows += neurons;
      stage.out_rows = channels = neurons;
      stage.packs_input = false;
      continue;
    }
    depth = layer.kind == "dense" ? 1 : 0;
    Stage stage{
        .neurons = neurons, .has_slots = has_slots(layer), .packs_input = depth == 1 || layer.kind == "slot-dense"};
    if (layer.kind.ends_with("-conv")) {
      const double border = 2 * number(layer, "padding", 1);
      stage.in_rows = channels * (height + border) * (width + border);
      height = side_after(layer, height), width = side_after(layer, width);
      channels = number(layer, "filters", 0);
      stage.out_rows = stage.bit_rows = channels * height * width;
      if (number(layer, "pool", 1) > 1) stage.winner_rows = stage.out_rows;
    } else if (layer.kind == "or-pool") {
      stage.in_rows = channels * height * width;
      height = std::max(1.0, std::floor(height / 2)), width = std::max(1.0, std::floor(width / 2));
      stage.out_rows = stage.bit_rows = stage.winner_rows = channels * height * width;
    } else {
      stage.in_rows = channels * height * width;
      channels = number(layer, "outputs", 0);
      height = width = 1;
      stage.out_rows = channels;
      stage.bit_rows = neurons;
    }
    stages.push_back(stage);
  }
  return stages;
}

double bytes_of_sample(const std::vector<Stage>& stages, bool with_gradients) {
  double bytes = kFloat * stages.back().out_rows, gradients[2] = {0, 0};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    bytes += (kFloat + (stages[i].packs_input ? kPacked : 0)) * stages[i].in_rows + stages[i].winner_rows;
    if (i > 0) gradients[i % 2] = std::max(gradients[i % 2], stages[i].in_rows);
  }
  double& of_head = gradients[stages.size() % 2];
  of_head = std::max(of_head, stages.back().out_rows);
  return bytes + (with_gradients ? kFloat * (gradients[0] + gradients[1]) : 0);
}

// Of a neuron: what stays during training, and its part of a checkpoint that is read at the end.
double bytes_of_neuron(bool has_slots, const Config& config, double shards) {
  const double moments = config.train.optimizer.name == "sgd" ? 1 : 2;
  constexpr double kWirePairs = 2 * kSlotsOfNeuron * kFloat;
  const double wiring = has_slots ? kWirePairs + 2 * kSlotsOfNeuron : 2 * kFloat;
  const double derived = has_slots ? kWirePairs + 2 * kSlotsOfNeuron : 8 * kFloat;  // rows, codes, coefficients
  const double sums = has_slots ? shards * kRowOfSlots : (shards + 1) * 4 * kFloat;
  const double watched = config.resample.enabled && has_slots ? kRowOfSlots + 4 * kFloat : 0;
  const double state = (3 + moments) * kRowOfSlots;  // logits, weights and scores
  return state + wiring + derived + sums + watched + ((1 + moments) * kRowOfSlots + wiring);
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
  const std::vector<Stage> stages = stages_of(config.model, encoded_sample);
  const double shards = std::ceil(static_cast<double>(config.train.batch) / static_cast<double>(config.train.shard));
  const double workers = std::min<double>(threads, shards);
  double bytes = workers * static_cast<double>(config.train.shard) * bytes_of_sample(stages, /*with_gradients=*/true) +
                 kEvaluators * threads * kSamplesOfEvaluator * bytes_of_sample(stages, /*with_gradients=*/false);
  for (const Stage& stage : stages)
    bytes += stage.neurons * bytes_of_neuron(stage.has_slots, config, shards) + threads * kBytesOnBits * stage.bit_rows;
  return kProgram + kGaps * bytes;
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
