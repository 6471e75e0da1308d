// Refines the discrete network of a checkpoint, in steps that survive an interruption, and stores the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/refine/refiner.h"
#include "firn/study/parts.h"

namespace firn::study {

struct RefineParams {
  std::filesystem::path checkpoint = {}, output = {};  // `output` is a checkpoint, too
  std::string data_root = {};
  RefineSettings settings = {};
  // Examples that moves are fitted to: "train", judged on the validation split, or "validation": one half of it, judged
  // on the other.
  std::string fit_split = "train";
  std::size_t images = 0;  // of those that are fitted to; 0: all
  const Parts* parts = &standard_parts();
  std::function<void(const std::string&)> on_warning = {};  // before the work: examples have changed since training
  // Before the first sweep: memory, copies that fit, and sweeps that an earlier call has done.
  std::function<void(std::uint64_t bytes, std::size_t copies, std::uint32_t sweeps_done)> on_start = {};
  std::function<void(const SweepReport&)> on_sweep = {};
  RefineObserver observer = {};
};

struct RefineResult {
  bool is_complete = false;  // false: cancelled; the same call goes on after the last whole sweep
  std::uint64_t step = 0;
  std::uint32_t sweeps = 0, best_sweep = 0;  // the state after sweep best_sweep was stored; 0: nothing helped
  std::size_t moves = 0, changed_gates = 0;  // accepted up to best_sweep, and gates that differ in the end
  std::size_t working_gates_before = 0, working_gates_after = 0;
  std::size_t judged_examples = 0;
  Risk before, after;   // on the held-out examples
  PairedChange change;  // of the same
};

// Refuses to write over the checkpoint itself and the files of its data. Writes the moves as OUTPUT with the ending
// .moves.csv; between sweeps the state is in OUTPUT with the ending .partial, which is removed at the end. Where OUTPUT
// is a stream there is neither, and nothing to go on from.
// Ranks refine together and all see the checkpoint; rank 0 writes. The result does not depend on how many there are.
RefineResult refine_checkpoint(const RefineParams& params, Threads& threads, Ranks& ranks = one_rank());

}  // namespace firn::study
