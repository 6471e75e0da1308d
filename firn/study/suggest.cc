#include "firn/study/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "firn/study/words.h"

namespace firn::study {
namespace {

constexpr std::size_t kSmallestSide = 12;  // of images that get convolutions
constexpr std::size_t kLargestSide = 32;   // larger images are read at a stride

constexpr std::string_view kKeys[] = {"encode.encoding",     "encode.thresholds", "encode.scope", "model.width",
                                      "model.layers",        "model.residual",    "train.steps",  "train.batch",
                                      "train.learning_rate", "train.eval_every"};

Value number(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool suits_convolutions(const Shape& shape) {
  return std::min(shape.height, shape.width) >= kSmallestSide;
}

bool is_binary(const Examples& examples) {
  if (examples.has_reals()) return false;
  for (std::size_t i = 0; i < examples.count(); ++i)
    if (!std::ranges::all_of(examples.bytes[i], [](std::uint8_t v) { return v == 0 || v == 255; })) return false;
  return true;
}

double value_at(const Examples& examples, std::size_t example, std::size_t feature) {
  return examples.has_reals() ? examples.reals[example][feature] : examples.bytes[example][feature];
}

// The most different values that a feature has, as far as `limit`: more thresholds would repeat themselves.
std::size_t different_values(const Examples& examples, std::size_t limit) {
  std::size_t most = 0;
  for (std::size_t f = 0; f < examples.features() && most <= limit; ++f) {
    std::set<double> seen;
    for (std::size_t i = 0; i < examples.count() && seen.size() <= limit; ++i) seen.insert(value_at(examples, i, f));
    most = std::max(most, seen.size());
  }
  return most;
}

bool has_bright_values(const Examples& examples) {
  for (std::size_t i = 0; i < examples.count(); ++i)
    if (std::ranges::max(examples.bytes[i]) > 127) return true;
  return false;
}

class Suggester {
 public:
  Suggester(const Dataset& data, const SuggestParams& params)
      : data_(data),
        shape_(data.shape),
        params_(params),
        examples_(params.examples),
        convolves_(params.may_convolve && suits_convolutions(shape_)) {}

  Suggestions make() {
    encode();
    if (convolves_)
      convolve();
    else
      dense();
    train();
    return std::move(out_);
  }

 private:
  void add(const char* key, Value value, std::string reason) {
    out_.keys.push_back({key, std::move(value), std::move(reason)});
  }

  void encode() {
    const Examples& train = data_.train;
    if (is_binary(train) && is_binary(data_.test)) {
      bits_ = shape_.size();
      return add("encode.encoding", std::string("passthrough"), "every value is 0 or 1 already");
    }
    std::size_t thresholds = 3;
    // Much of an image may be black, and most values of a feature that has only two may be the larger one; quantiles of
    // such values would repeat themselves or cut nothing off.
    bool spread = convolves_ && !train.has_reals() && has_bright_values(train);
    if (!convolves_) {
      const std::size_t most = std::clamp<std::size_t>(512 / shape_.size(), 3, 31);
      const std::size_t different = different_values(train, most);
      thresholds = std::clamp<std::size_t>(different - 1, 1, most);
      spread = train.has_reals() && different <= 2;
    }
    if (params_.thresholds != 0) thresholds = params_.thresholds;
    bits_ = thresholds * shape_.size();
    add("encode.encoding", std::string(spread ? "uniform" : "distributive"),
        spread ? "thresholds at equal distances" : "thresholds at quantiles of the training examples");
    add("encode.thresholds", number(thresholds),
        convolves_ ? "bits per value" : fmt::format("bits per value, {} in all", bits_));
    if (!spread)
      add("encode.scope", std::string(convolves_ ? "channel" : "feature"),
          convolves_ ? "pixels share their thresholds" : "columns may have different units");
  }

  void dense() {
    constexpr std::size_t kLayers = 5;
    const std::size_t gates = std::max(std::clamp<std::size_t>(8 * bits_, 1000, 4000), bits_);
    add("model.family", std::string("dense"),
        is_table(shape_) ? "columns have no neighbours" : "samples too small for convolutions");
    add("model.width", number(round_up(gates, data_.classes)),
        fmt::format("gates per layer, a multiple of the {} classes", data_.classes));
    add("model.layers", number(kLayers), "a gate of the last one can see 32 bits");
    // Easy data are learned before any gate has changed if gates begin as wires with certainty, and the circuit would
    // be a heap of wires.
    add("model.residual", 2.0, "gates begin as wires, but not too sure of it");
  }

  // Blocks that halve the image until a few pixels are left. Pooling needs even sizes; where only one of them is even,
  // every second placement is left out instead.
  void convolve() {
    constexpr std::size_t kFilters = 8, kGrowth = 3, kBlocks = 3, kEnough = 4;
    std::size_t height = shape_.height, width = shape_.width;
    const std::size_t stride = std::clamp<std::size_t>(std::min(height, width) / kLargestSide, 1, 13);
    std::size_t filters = kFilters;
    const auto add_block = [&](std::size_t window, std::size_t step, std::size_t pool) {
      out_.layers.push_back({"tree-conv",
                             {{"filters", number(filters)},
                              {"depth", number(3)},
                              {"window", number(window)},
                              {"padding", number(1)},
                              {"stride", number(step)},
                              {"pool", number(pool)},
                              {"channels", std::string(out_.layers.empty() ? "one" : "two-distinct")}}});
      height = ((height + 2 - window) / step + 1) / pool;
      width = ((width + 2 - window) / step + 1) / pool;
      filters *= kGrowth;
    };
    if (stride > 1) add_block(stride + 2, stride, 1);
    while (out_.layers.size() < kBlocks && std::min(height, width) > kEnough) {
      const bool odd_height = height % 2 != 0, odd_width = width % 2 != 0;
      if (odd_height != odd_width)
        add_block(3, 2, 1);
      else
        add_block(odd_height ? 4 : 3, 1, 2);  // a window of 4 gives an odd size an even number of placements
    }
    const std::size_t features = filters / kGrowth * height * width;
    const std::size_t unit = round_up(std::max<std::size_t>(2560, features / 8), data_.classes);
    for (const std::size_t outputs : {4 * unit, 2 * unit, unit})
      out_.layers.push_back({"dense", {{"outputs", number(outputs)}}});
    add("model.family", std::string("list"), "the layers below: trees of gates, pooled, then dense ones");
  }

  void train() {
    const std::size_t batch = std::min<std::size_t>(examples_, examples_ > 4000 ? 128 : 32);
    // Few examples are seen more often, many as often as a minute allows.
    const std::size_t passes = convolves_ ? 30 : 60;
    const std::size_t steps = std::clamp<std::size_t>(round_up(passes * examples_ / batch, 500), 1000, 5000);
    add("train.steps", number(steps), fmt::format("{} passes over the training examples", steps * batch / examples_));
    add("train.batch", number(batch), "examples per step");
    add("train.learning_rate", 0.02, "");
    add("train.eval_every", number(steps / 10), "steps between evaluations on the validation set");
  }

  const Dataset& data_;
  const Shape shape_;
  const SuggestParams params_;
  const std::size_t examples_;
  const bool convolves_;
  std::size_t bits_ = 0;  // of an encoded example
  Suggestions out_;
};

}  // namespace

std::span<const std::string_view> suggested_keys() {
  return kKeys;
}

Suggestions suggest(const Dataset& data, const SuggestParams& params) {
  return Suggester(data, params).make();
}

}  // namespace firn::study
