#include "firn/study/test_vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/threads.h"
#include "firn/data/gather.h"
#include "firn/infer/machine.h"
#include "firn/infer/predictor.h"
#include "firn/study/predict_samples.h"

namespace firn::study {

namespace {

using Kind = InputFormat::Kind;

Examples first_examples(const Examples& examples, std::size_t samples) {
  std::vector<std::uint32_t> indices(std::min(samples, examples.count()));
  std::iota(indices.begin(), indices.end(), 0u);
  return gather_examples(examples, indices);
}

// The largest number of the format that is not above the value; the nearest one for values outside the range. What is
// not a number becomes the lowest, which is above no threshold.
float rounded_down(float value, const InputFormat& format) {
  const double unit = std::ldexp(1.0, -static_cast<int>(format.fraction));
  const double half = std::ldexp(1.0, static_cast<int>(format.integer) - 1);
  if (!(value >= -half)) return static_cast<float>(-half);
  if (value < half) return static_cast<float>(std::floor(value / unit) * unit);
  // Wide formats have numbers that no float is equal to.
  const auto top = static_cast<float>(half - unit);
  return top < half ? top : std::nextafter(top, 0.f);
}

void round_down(Examples& examples, const InputFormat& format) {
  Matrix<float> rounded(examples.reals.rows(), examples.reals.cols());
  for (std::size_t s = 0; s < rounded.rows(); ++s)
    for (std::size_t f = 0; f < rounded.cols(); ++f) rounded[s][f] = rounded_down(examples.reals[s][f], format);
  examples.reals = std::move(rounded);
}

// A feature as the bits that arrive.
std::uint64_t number_of(const Examples& examples, std::size_t sample, std::size_t feature, const InputFormat& format) {
  if (format.kind == Kind::kByte) return examples.bytes[sample][feature];
  const float value = examples.reals[sample][feature];
  if (format.kind == Kind::kFloat) return std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint64_t>(std::llround(std::ldexp(double{value}, static_cast<int>(format.fraction))));
}

Matrix<std::uint64_t> feature_bits(const Examples& examples, const InputFormat& format) {
  const std::size_t bits = format.bits();
  Matrix<std::uint64_t> rows(bits * examples.features(), (examples.count() + 63) / 64);
  for (std::size_t s = 0; s < examples.count(); ++s)
    for (std::size_t f = 0; f < examples.features(); ++f) {
      const std::uint64_t number = number_of(examples, s, f, format);
      for (std::size_t b = 0; b < bits; ++b) rows[bits * f + b][s / 64] |= (number >> b & 1) << s % 64;
    }
  return rows;
}

Matrix<std::uint64_t> encoded_bits(const CircuitModel& model, const Examples& examples) {
  Matrix<std::uint64_t> rows(model.network.input.size(), (examples.count() + 63) / 64);
  model.encoder.encode_bits(SampleBlock::of(examples), rows);
  return rows;
}

// Of the last layer, before anything is counted.
Matrix<std::uint64_t> layer_outputs(const CircuitModel& model, const Matrix<std::uint64_t>& encoded) {
  const auto machine = make_machine(model);
  std::vector<std::uint64_t> in, out(model.network.outputs() * encoded.cols());
  for (std::size_t r = 0; r < encoded.rows(); ++r) in.insert(in.end(), encoded[r].begin(), encoded[r].end());
  run_rows(*machine, encoded.cols(), in, out);
  Matrix<std::uint64_t> rows(model.network.outputs(), encoded.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r)
    std::ranges::copy(std::span(out).subspan(r * encoded.cols(), encoded.cols()), rows.row(r));
  return rows;
}

// What the engine decides, as the head would say it.
Matrix<std::uint64_t> decisions(const CircuitModel& model, const Examples& examples, HeadForm form) {
  Threads threads(1);
  const SamplePredictions predictions = predict_samples(model, examples, threads);
  Matrix<std::uint64_t> rows(head_bits(model.network.head, model.network.outputs(), form),
                             (examples.count() + 63) / 64);
  for (std::size_t s = 0; s < examples.count(); ++s) {
    const std::uint64_t result =
        model.network.head.is_value ? predictions.counts[s][0] : std::uint64_t{predictions.classes[s]};
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const std::uint64_t bit = form == HeadForm::kOneHot ? std::uint64_t{r == result} : result >> r & 1;
      rows[r][s / 64] |= bit << s % 64;
    }
  }
  return rows;
}

}  // namespace

TestVectors test_vectors(const CircuitModel& model, const Examples& examples, std::size_t samples,
                         const ExportParams& params) {
  Examples chosen = first_examples(examples, samples);
  if (chosen.count() == 0) throw Error("there is no sample to test the circuit with");
  const InputFormat format = params.input ? *params.input : natural_format(model.encoder);
  if (params.with_encoder && format.kind == Kind::kFixed) round_down(chosen, format);
  const Matrix<std::uint64_t> encoded = encoded_bits(model, chosen);
  TestVectors vectors;
  vectors.samples = chosen.count();
  vectors.inputs = params.with_encoder ? feature_bits(chosen, format) : encoded;
  vectors.outputs =
      params.head == HeadForm::kNone ? layer_outputs(model, encoded) : decisions(model, chosen, params.head);
  return vectors;
}

}  // namespace firn::study
