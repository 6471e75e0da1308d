#include "firn/refine/outcome.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/kernels/cone.h"
#include "firn/network/evaluate.h"

namespace firn::refine {

namespace {

struct Mean {
  double value = 0, error = 0;
};

template <class Difference>
Mean mean_of(std::size_t count, const Difference& difference) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += difference(i);
    squares += difference(i) * difference(i);
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  return {mean, count < 2 ? 0 : std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1))};
}

}  // namespace

Risk Outcome::risk() const {
  Risk risk;
  for (double loss : losses) risk.loss += loss;
  for (std::uint8_t c : correct) risk.accuracy += c;
  const auto n = static_cast<double>(losses.size());
  return {risk.loss / n, risk.accuracy / n};
}

Outcome evaluate_outcome(const BooleanNetwork& network, const CountLoss& loss, const Examples& examples,
                         std::span<const std::uint32_t> indices, const Encoder& encoder, Threads& threads) {
  struct Worker {
    std::unique_ptr<BitEvaluator> evaluator;
    Matrix<std::uint64_t> bits;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(threads.count()));
  Outcome outcome;
  outcome.losses.resize(indices.size());
  outcome.correct.resize(indices.size());
  outcome.predictions.resize(indices.size());
  threads.for_each((indices.size() + kBlockSamples - 1) / kBlockSamples, [&](std::size_t block, std::size_t w) {
    Worker& worker = workers[w];
    if (!worker.evaluator) {
      worker.evaluator = std::make_unique<BitEvaluator>(network, kBlockWords);
      worker.bits = Matrix<std::uint64_t>(network.input.size(), kBlockWords);
    }
    const std::size_t first = block * kBlockSamples;
    const Examples samples =
        gather_examples(examples, indices.subspan(first, std::min(kBlockSamples, indices.size() - first)));
    encoder.encode_bits(SampleBlock::of(samples), worker.bits);
    Threads alone(1);  // blocks already run in parallel
    const auto& counted = worker.evaluator->count(worker.bits, alone);
    std::vector<std::int32_t> counts(loss.groups());
    for (std::size_t s = 0; s < samples.labels.size(); ++s) {
      for (std::size_t c = 0; c < counts.size(); ++c)
        counts[c] = static_cast<std::int32_t>(counted[c * kBlockSamples + s]);
      outcome.losses[first + s] = loss.value(counts, samples.labels[s]);
      outcome.predictions[first + s] = loss.predicted(counts);
      outcome.correct[first + s] = outcome.predictions[first + s] == samples.labels[s];
    }
  });
  return outcome;
}

PairedChange paired_change(const Outcome& before, const Outcome& after) {
  FIRN_CHECK(before.losses.size() == after.losses.size());
  const std::size_t count = before.losses.size();
  const Mean loss = mean_of(count, [&](std::size_t i) { return after.losses[i] - before.losses[i]; });
  const Mean accuracy =
      mean_of(count, [&](std::size_t i) { return static_cast<double>(after.correct[i] - before.correct[i]); });
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < count; ++i) agreeing += before.predictions[i] == after.predictions[i];
  return {loss.value, loss.error, accuracy.value, accuracy.error, agreeing};
}

}  // namespace firn::refine
