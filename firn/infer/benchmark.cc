#include "firn/infer/benchmark.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/memory.h"
#include "firn/base/random.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/infer/predictor.h"
#include "firn/kernels/probe.h"

namespace firn::infer {

namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Rows are padded first and then packed where calls are long.
void check_memory_of_examples(const Encoder& encoder, std::size_t count, bool packs) {
  const std::size_t features = encoder.input_shape().size();
  const bool real = encoder.parts().values == "reals";
  const std::size_t row = real ? Matrix<float>::bytes_of(1, features) : Matrix<std::uint8_t>::bytes_of(1, features);
  constexpr double kGrowth = 2;  // of the packed examples, which are appended one by one
  const double values = packs ? kGrowth * static_cast<double>(features * (real ? sizeof(float) : 1)) : 0;
  require_memory((static_cast<double>(row) + values) * static_cast<double>(count), "these examples",
                 "number of examples for a call");
}

Examples random_examples(const Encoder& encoder, std::size_t count) {
  Examples examples;
  const std::size_t features = encoder.input_shape().size();
  RandomSequence random(1, "benchmark/images");
  if (encoder.parts().values == "reals") {
    Matrix<float> reals(count, features);
    for (std::size_t i = 0; i < count; ++i)
      for (float& value : reals[i]) value = random.uniform();
    examples.reals = std::move(reals);
  } else {
    Matrix<std::uint8_t> bytes(count, features);
    for (std::size_t i = 0; i < count; ++i)
      for (std::uint8_t& value : bytes[i]) value = static_cast<std::uint8_t>(random.next());
    examples.bytes = std::move(bytes);
  }
  return examples;
}

// The same examples without padding between them, in memory that outlives them.
template <class T>
MatrixView<T> packed(const MatrixView<T>& rows, std::vector<T>& memory) {
  memory.clear();
  for (std::size_t r = 0; r < rows.rows(); ++r) memory.insert(memory.end(), rows[r].begin(), rows[r].end());
  return MatrixView<T>::borrow(memory.data(), rows.rows(), rows.cols());
}

// Seconds per call and image, and how they divide.
struct Calls {
  std::vector<double> whole, encode, gates, counts;

  void run(Predictor& predictor, const Examples& examples, std::span<std::uint16_t> predictions) {
    const auto images = static_cast<double>(predictions.size());
    const Stopwatch watch;
    predictor.predict(examples, 0, predictions);
    whole.push_back(watch.seconds() / images);
    const PredictTimes times = predictor.take_times();
    encode.push_back(times.encode / images);
    gates.push_back(times.gates / images);
    counts.push_back(times.counts / images);
  }
};

}  // namespace

InferBenchmark benchmark_inference(const CircuitModel& model, const Machine& machine, Threads& threads,
                                   const InferBenchmarkSettings& settings) {
  Threads alone(1);
  Predictor one(model, machine, alone, settings.words), all(model, machine, threads, settings.words);
  const std::size_t block = one.block_samples();
  // Calls of all threads must be long beside the time that a sleeping thread takes to wake up.
  constexpr std::size_t kBlocksPerThread = 32;
  const std::size_t many = block * kBlocksPerThread * static_cast<std::size_t>(threads.count());
  const std::size_t count = std::max(block, settings.images == 0 ? many : settings.images);
  check_memory_of_examples(model.encoder, count, settings.images != 0);
  Examples examples = random_examples(model.encoder, count);
  std::vector<std::uint8_t> bytes;
  std::vector<float> reals;
  if (settings.images != 0 && examples.has_reals()) examples.reals = packed(examples.reals, reals);
  if (settings.images != 0 && !examples.has_reals()) examples.bytes = packed(examples.bytes, bytes);
  std::vector<std::uint16_t> all_predictions(examples.count());
  const std::span predictions = std::span(all_predictions).first(settings.images == 0 ? many : settings.images);
  // One thread is measured block by block: short calls are seldom interrupted, and the median forgets those that are.
  const std::span<std::uint16_t> first_block = std::span(all_predictions).first(block);

  // Each has a predictor of its own, as programs have that always ask for as many.
  constexpr std::array<std::size_t, 5> kShort = {1, 8, 64, 128, 256};
  std::deque<Predictor> short_predictors;
  std::array<Calls, kShort.size()> short_calls;
  while (short_predictors.size() < kShort.size()) short_predictors.emplace_back(model, machine, alone, settings.words);

  Calls block_calls, alone_calls, all_calls;
  std::vector<double> limits;
  one.predict(examples, 0, first_block);  // allocates
  all.predict(examples, 0, predictions);
  one.take_times();
  all.take_times();
  for (const Stopwatch watch; limits.empty() || watch.seconds() < settings.seconds;) {
    limits.push_back(measure_gate_rate(0.01));
    for (const Stopwatch round; round.seconds() < 0.02;) block_calls.run(one, examples, first_block);
    for (const Stopwatch round; round.seconds() < 0.02;) alone_calls.run(one, examples, predictions);
    for (const Stopwatch round; round.seconds() < 0.02;) all_calls.run(all, examples, predictions);
    for (std::size_t i = 0; i < kShort.size(); ++i)
      for (const Stopwatch round; kShort[i] <= examples.count() && round.seconds() < 0.005;)
        short_calls[i].run(short_predictors[i], examples, std::span(all_predictions).first(kShort[i]));
  }

  InferBenchmark result;
  result.block_samples = block;
  result.rows = machine.rows();
  result.images_per_second = 1 / median(block_calls.whole);
  result.images_per_second_all = 1 / median(all_calls.whole);
  result.images_per_call = predictions.size();
  result.fastest_one_thread = 1 / std::ranges::min(alone_calls.whole);
  result.fastest_all = 1 / std::ranges::min(all_calls.whole);
  result.speedup = median(alone_calls.whole) / median(all_calls.whole);
  result.encode_ns = 1e9 * median(block_calls.encode);
  result.gates_ns = 1e9 * median(block_calls.gates);
  result.counts_ns = 1e9 * median(block_calls.counts);
  for (std::size_t i = 0; i < kShort.size(); ++i) {
    if (short_calls[i].whole.empty()) continue;
    const double us = 1e6 * static_cast<double>(kShort[i]);
    result.short_calls.push_back({kShort[i], us * median(short_calls[i].whole), us * median(short_calls[i].encode),
                                  us * median(short_calls[i].gates), us * median(short_calls[i].counts)});
  }
  result.gate_limit = median(limits);
  result.gates_per_second = 1e9 * static_cast<double>(machine.gates()) / result.gates_ns;
  result.original_per_second = 1e9 * static_cast<double>(unrolled_gates(model.network)) / result.gates_ns;
  return result;
}

CircuitModel random_dense_circuit(std::size_t inputs, std::size_t layers, std::size_t width, std::uint64_t seed) {
  constexpr std::size_t kClasses = 10;
  FIRN_CHECK(inputs > 1 && layers > 0 && width % kClasses == 0);
  RandomSequence random(seed, "benchmark/network");
  BooleanNetwork network;
  network.input = {inputs};
  network.head.groups = kClasses;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::size_t features = layer == 0 ? inputs : width;
    std::vector<std::uint32_t> wires;
    std::vector<Gate> gates;
    while (wires.size() < 2 * width)
      for (const std::uint32_t feature : permutation(static_cast<std::uint32_t>(features), random))
        if (wires.size() < 2 * width) wires.push_back(feature);
    while (gates.size() < width) {
      const auto gate = static_cast<Gate>(random.below(kGates));
      if (depends_on_a(gate) && depends_on_b(gate)) gates.push_back(gate);
    }
    network.layers.push_back(
        boolean_dense("layer" + std::to_string(layer + 1), features, std::move(wires), std::move(gates)));
  }
  Matrix<float> threshold(1, 1);
  threshold[0][0] = 127;
  Netlist netlist = lower(network);
  simplify(netlist);
  return {"", {}, Encoder::from_parts({"uniform", "bytes", network.input, threshold}), network, std::move(netlist)};
}

}  // namespace firn::infer
