// How long it takes to prepare inputs: fitting, augmentation and encoding of CIFAR-sized images on one core.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "firn/base/random.h"
#include "firn/data/augment.h"
#include "firn/encode/encoder.h"

namespace firn {
namespace {

constexpr std::size_t kBatch = 128;

Dataset random_images(std::size_t count) {
  Dataset data{
      .name = "random images", .shape = {3, 32, 32}, .classes = 10, .class_names = {}, .train = {}, .test = {}};
  Matrix<std::uint8_t> images(count, data.shape.size());
  data.train.labels.resize(count);
  RandomSequence random(1, "images");
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint8_t& v : images[i]) v = static_cast<std::uint8_t>(random.next());
  data.train.bytes = std::move(images);
  return data;
}

std::vector<std::uint32_t> all_of(const Dataset& data) {
  std::vector<std::uint32_t> indices(data.train.count());
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

Encoder make_encoder(const Dataset& data, std::size_t thresholds) {
  return fit_encoder({.encoding = "distributive", .thresholds = thresholds, .scope = "global"}, data, all_of(data));
}

// What training does for each shard, by the slow loop: 1 where the augmented value is above the threshold.
bool rows_are_right(const Encoder& encoder, const Matrix<std::uint8_t>& samples, const RowLayout& layout,
                    const Matrix<float>& rows) {
  const std::size_t features = encoder.input_shape().size();
  for (std::size_t t = 0; t < encoder.thresholds().rows(); ++t)
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t s = 0; s < samples.rows(); ++s) {
        const float expected = samples[s][f] > encoder.thresholds()[t][0] ? 1.f : 0.f;
        if (rows[layout.row_of_feature(t * features + f)][s] != expected) return false;
      }
  return true;
}

// A batch of 128 images, shard by shard: {samples of a shard, thresholds}.
void augment_and_encode(benchmark::State& state, const char* augmentation) {
  const auto shard = static_cast<std::size_t>(state.range(0));
  const Dataset data = random_images(kBatch);
  const Encoder encoder = make_encoder(data, static_cast<std::size_t>(state.range(1)));
  const Augmenter augmenter(augmentation, data, 1);
  const RowLayout layout{encoder.output_shape(), 1};
  Matrix<std::uint8_t> samples(shard, data.shape.size());
  Matrix<float> rows(layout.rows(), shard);
  std::uint32_t epoch = 0;
  const auto prepare = [&](std::size_t first) {
    for (std::size_t s = 0; s < shard; ++s) {
      const auto sample = static_cast<std::uint32_t>(first + s);
      augmenter.write(data.train.bytes.row(sample), epoch, sample, samples.row(s));
    }
    encoder.encode_rows(SampleBlock(samples, 0, shard), layout, rows);
  };
  prepare(0);
  if (!rows_are_right(encoder, samples, layout, rows)) return state.SkipWithError("rows differ from the slow loop");
  for (auto _ : state) {
    for (std::size_t first = 0; first < kBatch; first += shard) prepare(first);
    benchmark::DoNotOptimize(rows.data());
    ++epoch;
  }
}
BENCHMARK_CAPTURE(augment_and_encode, none, "none")->ArgsProduct({{16, 32, 64}, {3}})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(augment_and_encode, flip_crop, "flip-crop")
    ->ArgsProduct({{16, 32, 64}, {3, 31}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(augment_and_encode, rotate_shift, "rotate-shift")
    ->ArgsProduct({{32}, {3}})
    ->Unit(benchmark::kMicrosecond);

// A batch of 128 images as bits.
void encode_bits(benchmark::State& state) {
  const Dataset data = random_images(kBatch);
  const Encoder encoder = make_encoder(data, static_cast<std::size_t>(state.range(0)));
  const std::size_t features = data.shape.size();
  Matrix<std::uint64_t> bits(encoder.output_shape().size(), kBatch / 64);
  const SampleBlock block = SampleBlock::of(data.train, 0, kBatch);
  encoder.encode_bits(block, bits);
  for (std::size_t i = 0; i < bits.rows(); ++i)
    for (std::size_t s = 0; s < kBatch; ++s)
      if (((bits[i][s / 64] >> (s % 64)) & 1) !=
          (data.train.bytes[s][i % features] > encoder.thresholds()[i / features][0]))
        return state.SkipWithError("bits differ from the slow loop");
  for (auto _ : state) {
    encoder.encode_bits(block, bits);
    benchmark::DoNotOptimize(bits.data());
  }
}
BENCHMARK(encode_bits)->Arg(3)->Arg(31)->Unit(benchmark::kMicrosecond);

// Quantiles of 10,000 images; a fifth of CIFAR-10's training part.
void fit_distributive(benchmark::State& state, const char* scope) {
  const Dataset data = random_images(10000);
  const std::vector<std::uint32_t> indices = all_of(data);
  for (auto _ : state) benchmark::DoNotOptimize(fit_encoder({"distributive", 3, scope}, data, indices));
}
BENCHMARK_CAPTURE(fit_distributive, global, "global")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit_distributive, channel, "channel")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit_distributive, feature, "feature")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn
