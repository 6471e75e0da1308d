// Training: a configuration and a data set in, a network out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "firn/api/config.h"
#include "firn/api/dataset.h"
#include "firn/api/job.h"
#include "firn/api/network.h"

namespace firn::api {

// What training reports at every evaluation, measured on the validation set.
struct TrainProgress {
  std::uint64_t step = 0, steps = 0;
  double train_loss = 0;  // moving average
  Risk relaxed, discrete;
  double frozen = 0;  // fraction of the neurons that may be frozen
  double learning_rate = 0;
  double seconds_left = 0;
};

// A neuron that was committed to a slot during training.
struct FreezeRecord {
  std::uint64_t step = 0;
  std::string layer;
  std::size_t neuron = 0, slot = 0, gate = 0;
  double score = 0, entropy = 0;  // when it was frozen
};

struct TrainOptions {
  std::string folder = {};  // a run folder with checkpoints, metrics and result; empty: nothing is written
  bool resume = false;      // continue the run in the folder
  bool wait = false;        // until another process is done with the folder, which else is an Error
  int threads = 0;          // 0: as many as the machine has cores; the result does not depend on it
  // Trains over all processes of a job, which rank 0 writes for; null: this process alone. The result does not depend
  // on it. All processes hear of everything and any of them may cancel.
  const Job* job = nullptr;
  std::function<void(const TrainProgress&)> on_eval = {};
  std::function<void(const FreezeRecord&)> on_freeze = {};
  std::function<bool()> cancelled = {};  // asked before every step; true ends training early
  // Gets a sentence about what is allowed but hardly meant, such as a strategy that starts after the last step.
  std::function<void(std::string_view)> on_warning = {};
};

// The network after the last step, or where it was cancelled. With train.patience it is that of the step with the
// smallest discrete validation loss.
Network train(const Config& config, const Dataset& data, const TrainOptions& options = {});

}  // namespace firn::api
