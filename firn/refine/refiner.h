// Refinement sweep by sweep: moves on the fitting set, judged on held-out examples, with a state that can be stored
// between sweeps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/refine/outcome.h"
#include "firn/refine/search.h"
#include "firn/refine/settings.h"

namespace firn::refine {

struct AcceptedMove {
  std::uint32_t sweep = 0;  // from 1
  std::uint32_t layer = 0;  // of the Boolean network
  std::uint32_t gate = 0;   // in that layer
  std::uint8_t before = 0, after = 0;
  double effect = 0, error = 0;  // on the mean loss of the fitting set, when it was accepted
};

struct LayerSweep {
  std::string layer;
  std::size_t tried = 0, accepted = 0;
  double seconds = 0;  // layers that are searched together share their time by the moves tried
};

struct SweepReport {
  std::uint32_t sweep = 0;
  bool of_shared_gates = false;
  std::vector<LayerSweep> layers;
  training::Risk fitting_before, fitting_after, held_out;
  std::size_t working_gates = 0;  // neither constant nor a wire, in the whole network
  bool is_best = false;           // on the held-out examples, of all sweeps so far
  double seconds = 0;
};

// What is stored between sweeps.
struct RefineState {
  std::uint32_t sweeps_done = 0, best_sweep = 0;
  bool is_finished = false;
  std::vector<std::uint8_t> gates, best_gates;  // of all layers, one after the other
  double best_loss = 0;                         // on the held-out examples
  std::vector<AcceptedMove> moves;
};

struct RefineObserver {
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};  // units of this sweep
  std::function<bool()> cancelled = {};                                           // asked between batches of moves
};

// Everything must outlive the Refiner.
struct RefineContext {
  const network::BooleanNetwork& network;
  const training::Loss& loss;
  const data::Dataset& data;
  const encode::Encoder& encoder;
  std::string augment;                               // as in training; copies are drawn by it
  std::span<const std::uint32_t> fitting, held_out;  // numbers of training examples
  Threads& threads;
  Ranks& ranks = one_rank();  // all of which refine together, with the same data; the result does not depend on them
};

// Number of gates that are neither constant nor a wire or its inverse.
std::size_t count_working_gates(const network::BooleanNetwork& network);

// Throws an Error where the network cannot be refined on so many examples: a real-valued encoding, too little memory.
void check_refinable(const network::BooleanNetwork& network, const encode::Encoder& encoder, std::size_t examples,
                     std::uint64_t memory);

class Refiner {
 public:
  // Refuses settings that make no sense, and what cannot be refined.
  Refiner(const RefineContext& context, const RefineSettings& settings);

  std::size_t copies() const { return copies_; }  // that fit
  std::uint64_t bytes() const;                    // of the fitting set

  bool is_finished() const { return state_.is_finished; }
  // The next sweep. Nothing has changed if it was cancelled, which `false` says.
  bool sweep(const RefineObserver& observer, SweepReport& report);
  // All sweeps that are left, without listening to anything but progress.
  void run(const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {});

  const RefineState& state() const { return state_; }
  void restore(const RefineState& state);  // one of the same network and settings

  // The best network so far on the held-out examples; the one to begin with where nothing was better.
  network::BooleanNetwork best() const;
  const std::vector<bool>& layers_in_scope() const { return in_scope_; }  // of the Boolean network
  const Outcome& outcome_before() const { return before_; }
  Outcome outcome_of(const network::BooleanNetwork& network) const;

 private:
  bool try_sweep(const RefineObserver& observer, SweepReport& report);
  bool is_of_shared_gates(std::uint32_t sweep) const;
  bool sweep_layer(std::uint32_t layer, const RefineObserver& observer, std::uint64_t& done, std::uint64_t total,
                   Search& search, std::vector<AcceptedMove>& moves, SweepReport& report);
  void append_moves(std::uint32_t layer, std::uint32_t unit, std::vector<Move>& moves) const;
  std::vector<std::uint8_t> gates_of_plan() const;
  network::BooleanNetwork network_with(const std::vector<std::uint8_t>& gates) const;
  void add_time(std::uint32_t layer, double seconds, SweepReport& report) const;
  void finish_sweep(std::vector<AcceptedMove> moves, SweepReport& report);

  RefineContext context_;
  RefineSettings settings_;
  std::vector<bool> in_scope_;  // layers of the Boolean network
  Plan plan_;
  CountLoss loss_;
  data::Augmenter augmenter_;
  std::size_t copies_;
  bool has_shared_ = false, has_single_ = false;  // gates in scope that are placed many times, and once
  Bar shared_bar_, single_bar_;
  Outcome before_;
  RefineState state_;
};

}  // namespace firn::refine
