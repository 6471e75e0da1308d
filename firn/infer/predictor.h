// Predicts whole data parts with a compiled model: encodes, runs the circuit, counts and decides, block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/data/dataset.h"
#include "firn/infer/machine.h"
#include "firn/infer/model_file.h"

namespace firn::infer {

// Seconds, added over blocks and threads.
struct PredictTimes {
  double encode = 0;  // comparing with thresholds and packing into rows, which is one pass over the samples
  double gates = 0;
  double counts = 0;  // class counts and the decision
};

// The netlist where the model has one, its layers where it has none.
std::unique_ptr<Machine> make_machine(const CircuitModel& model);

class Predictor {
 public:
  // `words` is the width of a block in 64 samples. Model and machine must outlive the predictor.
  Predictor(const CircuitModel& model, const Machine& machine, Threads& threads, std::size_t words = kBlockWords);

  // Predicts examples [first, first + predictions.size()): their classes and, unless null, the count of every group,
  // [example][group]. Any number of threads gives the same.
  void predict(const Examples& examples, std::size_t first, std::span<std::uint16_t> predictions,
               Matrix<std::uint32_t>* counts = nullptr);

  std::size_t block_samples() const { return 64 * words_; }
  PredictTimes take_times();  // since the last call

 private:
  struct Worker {
    std::unique_ptr<Runner> runner;
    std::size_t words = 0;  // of the runner
    std::unique_ptr<ByteRunner> byte_runner;
    std::vector<std::uint16_t> classes;
    std::vector<std::uint32_t> group_counts;
    PredictTimes times;
  };
  std::size_t words_for(std::size_t samples) const;
  void predict_few(const Examples& examples, std::size_t first, std::span<std::uint16_t> predictions,
                   Matrix<std::uint32_t>* counts);
  std::uint16_t class_of(std::uint32_t count) const;  // of a single group
  void decide(Worker& worker, std::span<std::uint16_t> predictions, std::size_t first,
              Matrix<std::uint32_t>* counts) const;
  void read_counts(Worker& worker, std::size_t group) const;

  const CircuitModel& model_;
  const Machine& machine_;
  Threads& threads_;
  std::size_t words_;
  std::vector<Worker> workers_;
};

}  // namespace firn::infer
