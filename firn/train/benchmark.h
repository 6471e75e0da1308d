// How long a training step takes, and how far that is from what the machine's arithmetic allows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/base/ranks.h"
#include "firn/base/shape.h"
#include "firn/base/threads.h"
#include "firn/encode/encoder.h"
#include "firn/kernels/probe.h"
#include "firn/model/build.h"
#include "firn/train/settings.h"

namespace firn::training {

struct StepBenchmarkSettings {
  EncodeSettings encode;
  ModelSettings model;
  OptimizerSettings optimizer;
  Shape image = {3, 32, 32};
  std::size_t classes = 10;
  std::string augment = "flip-crop";
  std::size_t batch = 128, shard = 32;
  bool freeze_convolutions = false;
  double frozen = 0;       // this fraction of all neurons is frozen, at random
  std::size_t steps = 30;  // measured, after warm-up
  std::size_t warm_up = 5;
};

struct StepBenchmark {
  // Milliseconds per step: median, and the range of the middle half.
  double step_ms = 0, step_low_ms = 0, step_high_ms = 0;
  // Medians of the parts; thread time divided by the number of threads for the first three.
  double encode_ms = 0, forward_ms = 0, backward_ms = 0, update_ms = 0;
  double reduce_ms = 0;  // of the update: until the sums of all shards were here and added up
  std::uint64_t bytes_sent = 0, messages_sent = 0;                    // to other ranks, per step
  std::uint64_t forward_applications = 0, backward_applications = 0;  // of gates, per sample, that learn
  std::uint64_t row_bytes = 0;  // bytes of rows that slot layers read and write per step
  std::size_t logits = 0;
  double gate_ns = 0;  // nanoseconds of thread time per gate application, forward and backward

  // The yardsticks of the same run, all threads together.
  double fma_per_second = 0;  // of single floats
  double fma_per_cycle = 0;   // vectors of 8 floats per cycle and thread
  ClockRate clock;            // mean of the threads
  double bound_ms = 0;        // 3 fused operations per application forward, 12 backward
  double forward_bound_ms = 0;
  double cache_bytes_per_second = 0, row_bound_ms = 0;

  // Need operations per second and no clock: they are known whatever the CPU is.
  double step_over_bound() const { return step_ms / bound_ms; }
  double forward_over_bound() const { return forward_ms / forward_bound_ms; }
};

// Trains on random images; nothing is read from disk. Over several ranks, each reports what it has measured itself.
StepBenchmark benchmark_step(const StepBenchmarkSettings& settings, Threads& threads, Ranks& ranks = one_rank());

}  // namespace firn::training
