#include "firn/infer/predictor.h"

#include <algorithm>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/circuit/simplify.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/direct_machine.h"

namespace firn::infer {

std::unique_ptr<Machine> make_machine(const CircuitModel& model) {
  if (!model.netlist) return std::make_unique<DirectMachine>(model.network);
  if (is_canonical(*model.netlist)) return std::make_unique<CircuitMachine>(*model.netlist, model.network.head.groups);
  Netlist netlist = *model.netlist;  // a file may hold any sound netlist
  simplify(netlist);
  return std::make_unique<CircuitMachine>(netlist, model.network.head.groups);
}

Predictor::Predictor(const CircuitModel& model, const Machine& machine, Threads& threads, std::size_t words)
    : model_(model),
      machine_(machine),
      threads_(threads),
      words_(words),
      workers_(static_cast<std::size_t>(threads.count())) {
  FIRN_CHECK(machine.inputs() == model.encoder.output_shape().size());
}

// Few samples take narrow rows: a batch of one would otherwise compute hundreds of samples that nobody asked for.
std::size_t Predictor::words_for(std::size_t samples) const {
  const std::size_t workers = workers_.size(), each = (samples + workers - 1) / workers;
  std::size_t words = machine_.takes_few() ? 1 : 2;
  while (words < words_ && 64 * words < each) words *= 2;
  return words;
}

void Predictor::predict(const Examples& examples, std::size_t first, std::span<std::uint16_t> predictions,
                        Matrix<std::uint32_t>* counts) {
  FIRN_CHECK(first + predictions.size() <= examples.count());
  if (machine_.takes_few() && predictions.size() <= kByteSamples)
    return predict_few(examples, first, predictions, counts);
  const std::size_t words = words_for(predictions.size()), block = 64 * words;
  threads_.for_each((predictions.size() + block - 1) / block, [&](std::size_t b, std::size_t w) {
    Worker& worker = workers_[w];
    if (worker.words != words) {
      worker.runner = machine_.make_runner(words);
      worker.words = words;
    }
    Stopwatch watch;
    const std::size_t begin = b * block, size = std::min(block, predictions.size() - begin);
    model_.encoder.encode_bits(SampleBlock::of(examples, first + begin, size), worker.runner->input());
    watch.add_to(worker.times.encode);
    worker.runner->run_gates();
    watch.add_to(worker.times.gates);
    worker.runner->count();
    decide(worker, predictions.subspan(begin, size), begin, counts);
    watch.add_to(worker.times.counts);
  });
}

// In rows of a byte and in this thread: a few microseconds are less than waking another one takes.
void Predictor::predict_few(const Examples& examples, std::size_t first, std::span<std::uint16_t> predictions,
                            Matrix<std::uint32_t>* counts) {
  const std::size_t samples = predictions.size(), groups = machine_.counted().groups();
  if (samples == 0) return;
  Worker& worker = workers_.front();
  if (worker.byte_runner == nullptr) worker.byte_runner = machine_.make_byte_runner();
  ByteRunner& runner = *worker.byte_runner;
  Stopwatch watch;
  model_.encoder.encode_bytes(SampleBlock::of(examples, first, samples), runner.input());
  watch.add_to(worker.times.encode);
  runner.run_gates();
  watch.add_to(worker.times.gates);
  runner.count(samples);
  for (std::size_t s = 0; s < samples; ++s) {
    const auto count = [&](std::size_t group) { return runner.counts()[group * samples + s]; };
    std::size_t best = 0;
    for (std::size_t g = 1; g < groups; ++g)
      if (count(g) > count(best)) best = g;
    predictions[s] = groups == 1 ? class_of(count(0)) : static_cast<std::uint16_t>(best);
    if (counts != nullptr)
      for (std::size_t g = 0; g < groups; ++g) counts->row(s)[g] = count(g);
  }
  watch.add_to(worker.times.counts);
}

std::uint16_t Predictor::class_of(std::uint32_t count) const {
  const Head& head = model_.network.head;
  return head.offset + head.factor * static_cast<float>(count) > head.threshold;
}

void Predictor::read_counts(Worker& worker, std::size_t group) const {
  const std::size_t planes = machine_.counted().planes();
  worker.group_counts.resize(64 * worker.words);
  unpack_counts(planes, worker.words, worker.runner->counts().row(group * planes), worker.group_counts.data());
}

void Predictor::decide(Worker& worker, std::span<std::uint16_t> predictions, std::size_t first,
                       Matrix<std::uint32_t>* counts) const {
  const std::size_t groups = machine_.counted().groups();
  if (groups == 1) {
    read_counts(worker, 0);
    for (std::size_t s = 0; s < predictions.size(); ++s) predictions[s] = class_of(worker.group_counts[s]);
  } else {
    worker.classes.resize(64 * worker.words);
    largest_group(groups, machine_.counted().planes(), worker.words, worker.runner->counts().data(),
                  worker.classes.data());
    std::copy_n(worker.classes.begin(), predictions.size(), predictions.begin());
  }
  if (counts == nullptr) return;
  for (std::size_t g = 0; g < groups; ++g) {
    read_counts(worker, g);
    for (std::size_t s = 0; s < predictions.size(); ++s) counts->row(first + s)[g] = worker.group_counts[s];
  }
}

PredictTimes Predictor::take_times() {
  PredictTimes sum;
  for (Worker& worker : workers_) {
    sum.encode += worker.times.encode;
    sum.gates += worker.times.gates;
    sum.counts += worker.times.counts;
    worker.times = {};
  }
  return sum;
}

}  // namespace firn::infer
