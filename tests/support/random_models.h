// Random layers, models and batches for tests: small, of awkward sizes, equal for equal seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/random.h"
#include "firn/model/model.h"
#include "firn/model/reference.h"
#include "firn/network/kinds/dense.h"
#include "firn/network/kinds/or_pool.h"
#include "firn/network/kinds/slot_conv.h"
#include "firn/network/kinds/slot_dense.h"
#include "firn/network/kinds/slot_select.h"
#include "firn/network/kinds/tree_conv.h"
#include "firn/train/step.h"

namespace firn {

// A layer to be, or several in a row, and what is done to its neurons once they exist.
struct Draft {
  std::vector<LayerDescription> parts;
  std::uint64_t seed = 1;
  float spread = 1;  // factor on the normal logits
};

inline TreeConvSettings tree(std::size_t filters, std::size_t depth, std::size_t window, std::size_t padding,
                             std::size_t pool, const std::string& channels, std::size_t stride = 1) {
  TreeConvSettings settings;
  settings.filters = filters;
  settings.depth = depth;
  settings.window = window;
  settings.padding = padding;
  settings.pool = pool;
  settings.channels = channels;
  settings.stride = stride;
  return settings;
}

inline SlotConvSettings slot(std::size_t filters, std::size_t window, std::size_t padding, std::size_t stride) {
  SlotConvSettings settings;
  settings.filters = filters;
  settings.window = window;
  settings.padding = padding;
  settings.stride = stride;
  return settings;
}

inline LayerDescription build_alone(const LayerSettings& settings, const std::string& name, const Shape& in,
                                    std::uint64_t seed) {
  LayerPlace place;
  place.name = name;
  place.input = in;
  place.seed = seed;
  LayerDescription layer = settings.build(place);
  layer.name = name;
  return layer;
}

// Logits are spread wide: deep trees of even mixtures give almost equal values everywhere, and rounding would choose
// the winners of a pool.
inline Draft random_tree(const std::string& name, Shape in, const TreeConvSettings& settings, std::uint64_t seed) {
  return {{build_alone(settings, name, in, seed)}, seed, 3};
}

inline Draft random_slot_conv(const std::string& name, Shape in, const SlotConvSettings& settings, std::uint64_t seed) {
  return {{build_alone(settings, name, in, seed)}, seed};
}

inline Draft random_slot_dense(const std::string& name, Shape in, std::size_t neurons, std::uint64_t seed) {
  SlotDenseSettings settings;
  settings.outputs = neurons;
  return {{build_alone(settings, name, in, seed)}, seed};
}

inline Draft random_slot_select(const std::string& name, Shape in, std::size_t neurons, std::uint64_t seed) {
  SlotSelectSettings settings;
  settings.outputs = neurons;
  return {{build_alone(settings, name, in, seed)}, seed};
}

inline Draft or_pool(const std::string& name, Shape in) {
  return {{build_alone(OrPoolSettings(), name, in, 1)}};
}

// Dense layers of the given widths that run as one stack; each width after the first is half of the one before. Some
// gates of the first level read one wire twice.
inline Draft random_dense(const std::string& name, Shape in, const std::vector<std::size_t>& widths,
                          std::uint64_t seed) {
  Draft draft{{}, seed};
  std::size_t inputs = in.size();
  for (std::size_t width : widths) {
    DenseSettings settings;
    settings.outputs = width;
    const std::string level = name + std::to_string(draft.parts.size());
    draft.parts.push_back(build_alone(settings, level, {inputs}, seed));
    inputs = width;
  }
  std::vector<std::uint32_t>& wires = draft.parts[0].tap_channel;
  for (std::size_t n = 0; n < widths[0]; n += 5) wires[2 * n + 1] = wires[2 * n];
  return draft;
}

// Opcodes are redrawn, so that slots do not simply hold the gate of their number, and some slots read one wire twice.
inline void shuffle_slots(Model& model, std::size_t group, std::uint64_t seed) {
  RandomSequence random(seed, "test/slots/" + model.neurons()[group]->name);
  Neurons& neurons = *model.neurons()[group];
  if (!model.wiring(group).slots_are_wires)
    for (std::uint8_t& opcode : neurons.opcodes) opcode = static_cast<std::uint8_t>(random.below(16));
  for (std::size_t i = 0; i < neurons.count(); ++i)
    for (std::size_t slot = i % 3; slot < kSlots; slot += 3) redraw_slot(model.wiring(group), i, slot, random);
}

inline std::unique_ptr<Model> model_of(const std::vector<Draft>& drafts, const Head& head) {
  NetworkDescription network;
  network.input = drafts.front().parts.front().input;
  network.head = head;
  for (const Draft& draft : drafts) network.layers.insert(network.layers.end(), draft.parts.begin(), draft.parts.end());
  auto model = std::make_unique<Model>(std::move(network), Initialization{.gaussian = true}, drafts.front().seed);
  std::size_t group = 0;
  for (const Draft& draft : drafts)
    for (const LayerDescription& part : draft.parts) {
      if (part.gates == 0) continue;
      Neurons& neurons = *model->neurons()[group];
      for (std::size_t i = 0; i < neurons.count(); ++i)
        for (float& logit : neurons.logits[i]) logit *= draft.spread;
      if (part.has_own_slots) shuffle_slots(*model, group, draft.seed);
      ++group;
    }
  model->rewire();
  return model;
}

inline Head head_of(std::size_t groups, float tau, float offset = 0, float scale = 1) {
  return {.groups = groups, .factor = scale / tau, .offset = offset};
}

// A layer without a network around it.
class LayerAlone {
 public:
  explicit LayerAlone(const Draft& draft) : model_(model_of({draft}, {})) {}
  Layer& operator*() const { return model_->layer(0); }
  Layer* operator->() const { return &model_->layer(0); }

 private:
  std::unique_ptr<Model> model_;
};

// One tiny model of each family. Inputs: tree and compact 3 x 8 x 8, dense and select 40.
inline std::unique_ptr<Model> tiny_tree_model(std::uint64_t seed) {
  return model_of({random_tree("conv1", {3, 8, 8}, tree(5, 3, 3, 1, 2, "one"), seed),
                   random_tree("conv2", {5, 4, 4}, tree(7, 2, 3, 1, 1, "two-with-replacement"), seed),
                   or_pool("pool", {7, 4, 4}), random_dense("fc", {7, 2, 2}, {24, 12, 6}, seed)},
                  head_of(3, 1.5f));
}

inline std::unique_ptr<Model> tiny_compact_model(std::uint64_t seed) {
  return model_of({random_slot_conv("conv1", {3, 8, 8}, slot(5, 3, 1, 2), seed),
                   random_slot_conv("conv2", {5, 4, 4}, slot(7, 3, 1, 1), seed),
                   random_slot_dense("fc1", {7, 4, 4}, 61, seed), random_slot_dense("fc2", {61}, 33, seed)},
                  head_of(3, 2.f));
}

inline std::unique_ptr<Model> tiny_dense_model(std::uint64_t seed) {
  return model_of({random_dense("a", {40}, {37}, seed), random_dense("b", {37}, {44, 22}, seed),
                   random_dense("c", {22}, {21}, seed)},
                  head_of(3, 2.f));
}

inline std::unique_ptr<Model> tiny_select_model(std::uint64_t seed) {
  return model_of({random_slot_select("select", {40}, 74, seed), random_dense("fc", {74}, {37, 21}, seed)},
                  head_of(3, 2.f));
}

struct TinyFamily {
  const char* name;
  std::unique_ptr<Model> (*make)(std::uint64_t seed);
};
inline constexpr TinyFamily kTinyFamilies[] = {{"tree", tiny_tree_model},
                                               {"compact", tiny_compact_model},
                                               {"dense", tiny_dense_model},
                                               {"select", tiny_select_model}};

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

  std::span<const std::uint16_t> labels() const { return labels_; }
  Truths truths() const override { return labels_; }
  bool is_binary() const override { return binary_; }
  void hide_that_it_is_binary() { binary_ = false; }

  void write_rows(std::size_t first, std::size_t count, std::size_t, Matrix<float>& rows) override {
    for (std::size_t f = 0; f < layout_.shape.size(); ++f) {
      float* row = rows.row(layout_.row_of_feature(f));
      for (std::size_t s = 0; s < rows.cols(); ++s) row[s] = s < count ? samples_[first + s][f] : 0;
    }
  }

  void write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads&) override {
    bits.clear();
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t f = 0; f < layout_.shape.size(); ++f)
        if (samples_[first + s][f] != 0) bits.row(f)[s / 64] |= std::uint64_t{1} << (s % 64);
  }

 private:
  RowLayout layout_;
  bool binary_;
  Matrix<float> samples_;  // [sample][feature]
  std::vector<std::uint16_t> labels_;
};

}  // namespace firn
