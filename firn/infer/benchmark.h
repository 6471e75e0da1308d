// Measures how fast a compiled model runs, in parts, on one core and on all, against the machine's own limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/threads.h"
#include "firn/infer/machine.h"
#include "firn/infer/model_file.h"

namespace firn::infer {

struct InferBenchmarkSettings {
  double seconds = 3;               // for all measurements together, about
  std::size_t words = kBlockWords;  // width of a block in 64 samples
  // Of a long call, packed without gaps, as programs hand them over; 0: 32 blocks for each thread, padded, as data sets
  // are.
  std::size_t images = 0;
};

// A call with a few images on one thread.
struct ShortCall {
  std::size_t images = 0;
  double whole_us = 0, encode_us = 0, gates_us = 0, counts_us = 0;
};

// Times are medians. One image at a time means a batch of one.
struct InferBenchmark {
  std::size_t block_samples = 0, rows = 0;
  double images_per_second = 0;      // whole calls on one thread
  double images_per_second_all = 0;  // on all threads, many blocks a call
  std::size_t images_per_call = 0;   // of those calls
  // The fastest such call on one thread and on all: what other work on the machine has disturbed least.
  double fastest_one_thread = 0, fastest_all = 0;     // images per second
  double speedup = 0;                                 // of all threads over one on the same calls
  double encode_ns = 0, gates_ns = 0, counts_ns = 0;  // per image, one thread
  std::vector<ShortCall> short_calls;                 // the first one has a single image
  double gate_limit = 0;           // 256-bit gates per second from the L1 cache, one thread, measured in between
  double gates_per_second = 0;     // gates of the machine times images
  double original_per_second = 0;  // gates before simplification times images

  // 1 would be every gate evaluated from and to the L1 cache without anything else.
  double ratio() const { return gates_per_second / (256 * gate_limit); }
  double original_ratio() const { return original_per_second / (256 * gate_limit); }
  double encode_share() const { return encode_ns / (encode_ns + gates_ns + counts_ns); }
  double counts_share() const { return counts_ns / (encode_ns + gates_ns + counts_ns); }
};

// Runs on random images, so no data are needed.
InferBenchmark benchmark_inference(const CircuitModel& model, const Machine& machine, Threads& threads,
                                   const InferBenchmarkSettings& settings);

// A dense network of `layers` x `width` gates to measure: every feature is read equally often, and only the ten gates
// that depend on both operands occur, so that little can be simplified away.
CircuitModel random_dense_circuit(std::size_t inputs, std::size_t layers, std::size_t width, std::uint64_t seed);

}  // namespace firn::infer
