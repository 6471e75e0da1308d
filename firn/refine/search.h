// Coordinate descent on gates: prices moves exactly, drops losers early, and accepts what gains more than noise
// explains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "firn/base/threads.h"
#include "firn/refine/fitting_set.h"

namespace firn::refine {

// Flips rows of the truth table of a gate, everywhere the gate is placed: bit 3 - (2a + b) of `flip` is row (a, b).
struct Move {
  std::uint32_t layer = 0, unit = 0;  // of the plan
  std::uint8_t gate = 0, flip = 0;
};

// What a move does to the loss: an image counts with the mean over its copies, which are not independent of each other.
struct Effect {
  double sum = 0, squares = 0;
  std::size_t images = 0;

  double mean() const { return sum / static_cast<double>(images); }
  double error() const;  // standard error of the mean
  Effect& operator+=(const Effect& other);
};

struct PricedMove {
  Move move;
  Effect effect;
  std::uint8_t before = 0, after = 0;  // the gate, once the move has been made
};

// What the effect of a move must be for the move to be accepted.
struct Bar {
  bool must_gain = true;  // false: a move may cost something
  double errors = 0.5;    // standard errors that a gain must exceed, or that a cost must not

  bool is_passed_by(const Effect& effect) const;
};

class Search {
 public:
  // All must outlive this; accepted moves change the plan's gates and the blocks of the set.
  Search(Plan& plan, const CountLoss& loss, FittingSet& set, Threads& threads);

  // Exact effects on the whole fitting set.
  std::vector<Effect> price(std::span<const Move> moves);

  // Moves that may be accepted by their effect on the whole set, the best first. Those that look bad on a part of the
  // images are dropped before the others are seen.
  std::vector<PricedMove> race(std::span<const Move> moves, const Bar& bar);

  void apply(const Move& move);

  // Tries the moves together and accepts one after the other, the best first; each is priced anew if something was
  // accepted since. Where moves are costs, a gate moves once. Returns those that were accepted, with the effects they
  // had then.
  std::vector<PricedMove> improve(std::span<const Move> moves, const Bar& bar);

  training::LossSum loss();  // over all images and copies, from the kept state

 private:
  void add_effects(std::span<const Move> moves, std::size_t first_batch, std::size_t last_batch,
                   std::span<Effect> effects);
  BlockSimulator& simulator(std::size_t worker);
  std::uint8_t& gate_of(const Move& move);

  Plan& plan_;
  const CountLoss& loss_;
  FittingSet& set_;
  Threads& threads_;
  std::vector<std::unique_ptr<BlockSimulator>> simulators_;  // one per worker
  std::vector<Matrix<double>> sums_;                         // per worker: [moves of a unit][kBlockSamples]
};

// The flips that turn every gate that is neither constant nor a wire into one that is.
void append_removals(const PlanLayer& layer, std::uint32_t number, std::uint32_t unit, std::vector<Move>& moves);
// Neither constant nor a wire or its inverse.
bool is_working(logic::Gate gate);

// The four single-row flips of every gate of the unit.
void append_row_flips(const PlanLayer& layer, std::uint32_t number, std::uint32_t unit, std::vector<Move>& moves);

}  // namespace firn::refine
