// Random layers, models and batches for tests: small, of awkward sizes, equal for equal seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/random.h"
#include "firn/model/layers/dense.h"
#include "firn/model/layers/group_sum.h"
#include "firn/model/layers/or_pool.h"
#include "firn/model/layers/slot_conv.h"
#include "firn/model/layers/slot_dense.h"
#include "firn/model/layers/tree_conv.h"
#include "firn/model/model.h"
#include "firn/model/reference.h"
#include "firn/train/step.h"

namespace firn {

inline constexpr Initialization kGaussian{.gaussian = true, .residual = 0};

// Logits are spread wide: deep trees of even mixtures give almost equal values everywhere, and rounding would choose
// the winners of a pool.
inline std::unique_ptr<Layer> random_tree(const std::string& name, Shape in, const TreeConvSettings& settings,
                                          std::uint64_t seed) {
  RandomSequence random(seed, "test/" + name);
  auto layer = std::make_unique<TreeConvLayer>(name, in, settings, kGaussian, random);
  Neurons& neurons = *layer->neurons()[0];
  for (std::size_t i = 0; i < neurons.count(); ++i)
    for (float& logit : neurons.logits[i]) logit *= 3;
  return layer;
}

// Opcodes are redrawn, so that slots do not simply hold the gate of their number, and some slots read one wire twice.
template <class SlotLayer>
void shuffle_slots(SlotLayer& layer, RandomSequence& random) {
  Neurons& neurons = *layer.neurons()[0];
  for (std::uint8_t& opcode : neurons.opcodes) opcode = static_cast<std::uint8_t>(random.below(16));
  for (std::size_t i = 0; i < neurons.count(); ++i)
    for (std::size_t slot = i % 3; slot < kSlots; slot += 3) layer.redraw_wires(i, slot, random);
  layer.rewire();
}

inline std::unique_ptr<Layer> random_slot_conv(const std::string& name, Shape in, const SlotConvSettings& settings,
                                               std::uint64_t seed) {
  RandomSequence random(seed, "test/" + name);
  auto layer = std::make_unique<SlotConvLayer>(name, in, settings, kGaussian, random);
  shuffle_slots(*layer, random);
  return layer;
}

inline std::unique_ptr<Layer> random_slot_dense(const std::string& name, Shape in, std::size_t neurons,
                                                std::uint64_t seed) {
  RandomSequence random(seed, "test/" + name);
  auto layer = std::make_unique<SlotDenseLayer>(name, in, neurons, kGaussian, random);
  shuffle_slots(*layer, random);
  return layer;
}

// Dense layers of the given widths in one stack; each width after the first is half of the one before. Some gates of
// the first level read one wire twice.
inline std::unique_ptr<Layer> random_dense(const std::string& name, Shape in, const std::vector<std::size_t>& widths,
                                           std::uint64_t seed) {
  RandomSequence random(seed, "test/" + name);
  std::vector<DenseStackLayer::Level> levels;
  std::size_t inputs = in.size();
  for (std::size_t width : widths) {
    levels.push_back(
        {name + std::to_string(levels.size()), draw_dense_wiring(DenseWiring::kRandom, inputs, width, random)});
    inputs = width;
  }
  for (std::size_t n = 0; n < widths[0]; n += 5) levels[0].wires[n].b = levels[0].wires[n].a;
  return std::make_unique<DenseStackLayer>(in, std::move(levels), kGaussian, random);
}

template <class... Layers>
std::unique_ptr<Model> model_of(Layers... layers) {
  std::vector<std::unique_ptr<Layer>> list;
  (list.push_back(std::move(layers)), ...);
  return std::make_unique<Model>(std::move(list));
}

// One tiny model of each family. Inputs: tree and compact 3 x 8 x 8, dense 40.
inline std::unique_ptr<Model> tiny_tree_model(std::uint64_t seed) {
  TreeConvSettings first{5, 3, 3, 1, 2, ChannelRule::kOne}, second{7, 2, 3, 1, 1, ChannelRule::kTwoWithReplacement};
  return model_of(random_tree("conv1", {3, 8, 8}, first, seed), random_tree("conv2", {5, 4, 4}, second, seed),
                  std::make_unique<OrPoolLayer>("pool", Shape{7, 4, 4}),
                  random_dense("fc", {7, 2, 2}, {24, 12, 6}, seed),
                  std::make_unique<GroupSumLayer>("head", Shape{6}, 3, 1.5f));
}

inline std::unique_ptr<Model> tiny_compact_model(std::uint64_t seed) {
  return model_of(random_slot_conv("conv1", {3, 8, 8}, {5, 3, 1, 2}, seed),
                  random_slot_conv("conv2", {5, 4, 4}, {7, 3, 1, 1}, seed),
                  random_slot_dense("fc1", {7, 4, 4}, 61, seed), random_slot_dense("fc2", {61}, 33, seed),
                  std::make_unique<GroupSumLayer>("head", Shape{33}, 3, 2.f));
}

inline std::unique_ptr<Model> tiny_dense_model(std::uint64_t seed) {
  return model_of(random_dense("a", {40}, {37}, seed), random_dense("b", {37}, {44, 22}, seed),
                  random_dense("c", {22}, {21}, seed), std::make_unique<GroupSumLayer>("head", Shape{21}, 3, 2.f));
}

struct TinyFamily {
  const char* name;
  std::unique_ptr<Model> (*make)(std::uint64_t seed);
};
inline constexpr TinyFamily kTinyFamilies[] = {
    {"tree", tiny_tree_model}, {"compact", tiny_compact_model}, {"dense", tiny_dense_model}};

// Freezes about `share` of the neurons, each to a random slot.
inline void freeze_some(Neurons& neurons, double share, std::uint64_t seed) {
  RandomSequence random(seed, "test/freeze/" + neurons.name);
  for (std::int8_t& slot : neurons.frozen)
    if (random.uniform() < share) slot = static_cast<std::int8_t>(random.below(16));
}

inline void freeze_to_argmax(Neurons& neurons) {
  const auto slots = neurons.chosen_slots();
  for (std::size_t i = 0; i < slots.size(); ++i) neurons.frozen[i] = static_cast<std::int8_t>(slots[i]);
}

inline reference::Values<double> random_values(std::size_t count, std::uint64_t seed, double low = 0, double high = 1) {
  RandomSequence random(seed, "test/values");
  reference::Values<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(low + (high - low) * random.uniform_double());
  return values;
}

// The forward weights of neurons as the reference takes them.
template <class Owner>
reference::Weights<double> weights_of(const Owner& owner) {
  reference::Weights<double> weights;
  for (const Neurons* group : owner.neurons())
    weights.emplace_back(group->forward_weights.data(), group->forward_weights.data() + group->count() * kSlots);
  return weights;
}

// A fixed batch of random samples, real or binary.
class RandomBatch final : public BatchInput {
 public:
  RandomBatch(const Model& model, std::size_t count, bool binary, std::uint64_t seed)
      : layout_(model.input()), binary_(binary), samples_(count, layout_.shape.size()) {
    RandomSequence random(seed, "test/batch");
    for (std::size_t s = 0; s < count; ++s) {
      for (float& v : samples_[s]) v = binary ? static_cast<float>(random.below(2)) : random.uniform();
      labels_.push_back(static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(model.outputs()))));
    }
  }

  std::vector<reference::Values<double>> samples() const {
    std::vector<reference::Values<double>> all;
    for (std::size_t s = 0; s < samples_.rows(); ++s) all.emplace_back(samples_[s].begin(), samples_[s].end());
    return all;
  }

  std::span<const std::uint16_t> labels() const override { return labels_; }
  bool is_binary() const override { return binary_; }
  void hide_that_it_is_binary() { binary_ = false; }

  void write_rows(std::size_t first, std::size_t count, std::size_t, Matrix<float>& rows) override {
    for (std::size_t f = 0; f < layout_.shape.size(); ++f) {
      float* row = rows.row(layout_.row_of_feature(f));
      for (std::size_t s = 0; s < rows.cols(); ++s) row[s] = s < count ? samples_[first + s][f] : 0;
    }
  }

  void write_bits(Matrix<std::uint64_t>& bits, Threads&) override {
    bits.clear();
    for (std::size_t s = 0; s < samples_.rows(); ++s)
      for (std::size_t f = 0; f < layout_.shape.size(); ++f)
        if (samples_[s][f] != 0) bits.row(f)[s / 64] |= std::uint64_t{1} << (s % 64);
  }

 private:
  RowLayout layout_;
  bool binary_;
  Matrix<float> samples_;  // [sample][feature]
  std::vector<std::uint16_t> labels_;
};

}  // namespace firn
