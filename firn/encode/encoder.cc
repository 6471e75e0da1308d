#include "firn/encode/encoder.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/feature_limit.h"
#include "firn/encode/leading_bits.h"
#include "firn/encode/real_samples.h"
#include "firn/encode/scope.h"
#include "firn/kernels/encode_reals.h"

namespace firn::encode {
namespace {

void check_parts(const EncoderParts& parts) {
  const Shape& shape = parts.input_shape;
  const std::size_t cols = parts.thresholds.cols();
  if (parts.values != "bytes" && parts.values != "reals")
    throw Error(fmt::format("the encoder is for \"{}\"; it must be for bytes or reals", parts.values));
  if (parts.thresholds.rows() == 0 || parts.thresholds.rows() > kMaxThresholds)
    throw Error(
        fmt::format("the encoder has {} thresholds; 1 to {} are possible", parts.thresholds.rows(), kMaxThresholds));
  if (!find_encoding(parts.encoding).is_binary && parts.thresholds.rows() != 1)
    throw Error(fmt::format("the encoder has {} thresholds, but the encoding \"{}\" has one", parts.thresholds.rows(),
                            parts.encoding));
  if (!is_small(shape) || !is_small({shape.size(), parts.thresholds.rows(), 1}))
    throw Error(fmt::format(
        "the encoder makes bits of inputs of {}x{}x{}, of which there must be 1 to {}; choose smaller inputs "
        "or fewer thresholds",
        shape.channels, shape.height, shape.width, kMaxFeatures));
  if (cols != 1 && cols != shape.channels && cols != shape.size())
    throw Error(
        fmt::format("the encoder has {} columns of thresholds for inputs of {}x{}x{}; there must be one in all, "
                    "one per channel or one per feature",
                    cols, shape.channels, shape.height, shape.width));
  for (std::size_t t = 0; t < parts.thresholds.rows(); ++t)
    for (float v : parts.thresholds[t])
      if (!std::isfinite(v) || (parts.values == "bytes" && !(v >= 0.f && v <= 255.f && v == std::floor(v))))
        throw Error(fmt::format("the encoder has the threshold {}, which {} cannot be compared with", v, parts.values));
}

// Thresholds for each feature, so that kernels need not know which features share theirs; rows are padded as they want.
template <class T>
Matrix<T> spread(const Matrix<float>& thresholds, std::size_t features) {
  Matrix<T> result(thresholds.rows(), features, 64 * sizeof(T));
  const std::size_t group = features / thresholds.cols();
  for (std::size_t t = 0; t < thresholds.rows(); ++t)
    for (std::size_t f = 0; f < features; ++f) result[t][f] = static_cast<T>(thresholds[t][f / group]);
  return result;
}

void check_split(const TrainingSplit& split) {
  const Examples& train = split.dataset.train;
  if (split.indices.empty())
    throw Error(fmt::format("{} has no training examples to fit an encoding on", split.dataset.name));
  for (std::uint32_t index : split.indices) FIRN_CHECK(index < train.count());
  FIRN_CHECK(train.features() == split.dataset.shape.size());
  if (!train.has_reals()) return;
  for (std::uint32_t index : split.indices)
    for (float v : train.reals[index])
      if (!std::isfinite(v))
        throw Error(fmt::format("{}: training example {} has the value {}; remove the example or give it a number",
                                split.dataset.name, index, v));
}

}  // namespace

Encoder::Encoder(EncoderParts parts) : parts_(std::move(parts)), binary_(find_encoding(parts_.encoding).is_binary) {
  const std::size_t features = input_shape().size();
  if (parts_.values == "bytes")
    byte_thresholds_ = spread<std::uint8_t>(parts_.thresholds, features);
  else
    real_thresholds_ = spread<float>(parts_.thresholds, features);
}

Encoder Encoder::from_parts(EncoderParts parts) {
  check_parts(parts);
  return Encoder(std::move(parts));
}

Shape Encoder::output_shape() const {
  Shape shape = input_shape();
  shape.channels *= thresholds().rows();
  return shape;
}

void Encoder::encode_rows(const SampleBlock& block, const RowLayout& layout, Matrix<float>& rows) const {
  FIRN_CHECK(layout.shape == output_shape());
  if (const auto* bytes = block.bytes()) {
    FIRN_CHECK(parts_.values == "bytes");
    binary_ ? threshold_rows(*bytes, byte_thresholds_, layout, rows) : unit_rows(*bytes, layout, rows);
  } else {
    FIRN_CHECK(parts_.values == "reals");
    binary_ ? threshold_rows(*block.reals(), real_thresholds_, layout, rows) : unit_rows(*block.reals(), layout, rows);
  }
}

void Encoder::encode_bits(const SampleBlock& block, Matrix<std::uint64_t>& bits) const {
  if (const auto* bytes = block.bytes()) {
    FIRN_CHECK(parts_.values == "bytes");
    threshold_bits(*bytes, byte_thresholds_, bits);
  } else {
    FIRN_CHECK(parts_.values == "reals");
    threshold_bits(*block.reals(), real_thresholds_, bits);
  }
}

void Encoder::encode_bytes(const SampleBlock& block, std::span<std::uint8_t> rows) const {
  if (const auto* bytes = block.bytes()) {
    FIRN_CHECK(parts_.values == "bytes");
    threshold_bytes(*bytes, byte_thresholds_, rows);
  } else {
    FIRN_CHECK(parts_.values == "reals");
    threshold_bytes(*block.reals(), real_thresholds_, rows);
  }
}

namespace {

void check_bits(const EncodeSettings& settings, const Dataset& dataset) {
  if (settings.bits > kByteBits)
    throw Error(fmt::format("encode.bits is {}; choose 0 to {}", settings.bits, kByteBits));
  if (dataset.train.has_reals())
    throw Error(
        fmt::format("{} holds real numbers, but encode.bits counts the bits of bytes; leave it at 0", dataset.name));
}

}  // namespace

Encoder fit_encoder(const EncodeSettings& settings, const Dataset& dataset,
                    std::span<const std::uint32_t> training_indices) {
  const Encoding& encoding = find_encoding(settings.encoding);
  parse_scope(settings.scope);
  if (settings.thresholds == 0 || settings.thresholds > kMaxThresholds)
    throw Error(fmt::format("encode.thresholds is {}; choose 1 to {}", settings.thresholds, kMaxThresholds));
  const TrainingSplit split{dataset, training_indices};
  check_split(split);
  Matrix<float> thresholds = encoding.fit(split, settings);
  if (settings.bits != 0 && encoding.is_thermometer) {
    check_bits(settings, dataset);
    keep_leading_bits(thresholds, settings.bits);
  }
  return Encoder::from_parts({.encoding = settings.encoding,
                              .values = dataset.train.has_reals() ? "reals" : "bytes",
                              .input_shape = dataset.shape,
                              .thresholds = std::move(thresholds)});
}

}  // namespace firn::encode
