#include "firn/refine/refiner.h"

#include <gtest/gtest.h>

#include "tests/refine/refine_case.h"
#include "tests/support/expect_error.h"
#include "tests/support/thread_ranks.h"

namespace firn {
namespace {

struct RefinerCase : RefineCase {
  explicit RefinerCase(BooleanNetwork net) : RefineCase(std::move(net), 3000) {
    fitted.assign(indices.begin(), indices.begin() + 2000);
    held_out.assign(indices.begin() + 2000, indices.end());
  }
  RefineContext context(Threads& threads, const std::string& augment = "none") const {
    return {network, loss_from_name("cross-entropy"), data, encoder, augment, fitted, held_out, threads};
  }
  std::vector<std::uint32_t> fitted, held_out;
};

RefineSettings eager() {
  RefineSettings settings;
  settings.sweeps = 4;
  settings.shared_significance = settings.single_significance = 1;
  return settings;
}

void run_all(Refiner& refiner) {
  SweepReport report;
  while (!refiner.is_finished()) ASSERT_TRUE(refiner.sweep({}, report));
}

TEST(Refiner, LowersTheHeldOutLoss) {
  RefinerCase c(matched_network(192, 3, 2));
  Threads threads(2);
  Refiner refiner(c.context(threads), eager());
  const double before = refiner.outcome_before().risk().loss;
  run_all(refiner);
  EXPECT_GT(refiner.state().best_sweep, 0u);
  EXPECT_LT(refiner.outcome_of(refiner.best()).risk().loss, before);
  EXPECT_EQ(refiner.outcome_of(refiner.best()).risk().loss, refiner.state().best_loss);
}

TEST(Refiner, MovesDoNotDependOnTheNumberOfRanks) {
  const auto gates_after = [](Ranks& ranks) {
    RefinerCase c(matched_network(192, 3, 2));
    Threads threads(1);
    RefineContext context = c.context(threads);
    Refiner refiner({context.network, context.loss, context.data, context.encoder, context.augment, context.fitting,
                     context.held_out, threads, ranks},
                    eager());
    run_all(refiner);
    return refiner.state().gates;
  };
  const std::vector<std::uint8_t> alone = gates_after(one_rank());
  for (const int size : {2, 3, 8})
    on_thread_ranks(size, [&](Ranks& ranks) { EXPECT_EQ(gates_after(ranks), alone) << size << " ranks"; });
}

// Batches hold many moves, and a gate may move twice in one.
TEST(Refiner, RecordsMovesThatLeadFromTheFirstGatesToTheLast) {
  RefinerCase c(matched_network(192, 3, 2));
  Threads threads(2);
  Refiner refiner(c.context(threads), eager());
  BooleanNetwork replayed = c.network;
  run_all(refiner);
  ASSERT_GT(refiner.state().moves.size(), 10u);
  for (const AcceptedMove& move : refiner.state().moves) {
    Gate& gate = replayed.layers[move.layer].gates[move.gate];
    ASSERT_EQ(static_cast<std::uint8_t>(gate), move.before);
    gate = static_cast<Gate>(move.after);
  }
  std::vector<std::uint8_t> gates;
  for (const BooleanLayer& layer : replayed.layers)
    for (Gate gate : layer.gates) gates.push_back(static_cast<std::uint8_t>(gate));
  EXPECT_EQ(gates, refiner.state().gates);
}

TEST(Refiner, RefusesADamagedState) {
  RefinerCase c(meshed_network(3));
  Threads threads(1);
  Refiner refiner(c.context(threads), eager());
  RefineState state = refiner.state();
  state.gates.front() = 16;
  EXPECT_NE(error_of([&] { refiner.restore(state); }).find("damaged"), std::string::npos);
  state = refiner.state();
  state.moves.push_back({1, 99, 0, 1, 2, 0, 0});
  EXPECT_NE(error_of([&] { refiner.restore(state); }).find("damaged"), std::string::npos);
}

TEST(Refiner, GoesOnFromAStoredState) {
  RefinerCase c(meshed_network(3));
  Threads threads(2);
  Refiner whole(c.context(threads), eager());
  run_all(whole);
  ASSERT_GT(whole.state().sweeps_done, 1u);
  Refiner first(c.context(threads), eager());
  SweepReport report;
  ASSERT_TRUE(first.sweep({}, report));
  Refiner second(c.context(threads), eager());
  second.restore(first.state());
  run_all(second);
  EXPECT_EQ(second.state().gates, whole.state().gates);
  EXPECT_EQ(second.state().best_gates, whole.state().best_gates);
  EXPECT_EQ(second.state().moves.size(), whole.state().moves.size());
}

TEST(Refiner, ACancelledSweepChangesNothing) {
  RefinerCase c(meshed_network(3));
  Threads threads(2);
  Refiner refiner(c.context(threads), eager());
  const std::vector<std::uint8_t> gates = refiner.state().gates;
  SweepReport report;
  int asked = 0;
  EXPECT_FALSE(refiner.sweep({.cancelled = [&] { return ++asked == 2; }}, report));
  EXPECT_EQ(refiner.state().gates, gates);
  EXPECT_EQ(refiner.state().sweeps_done, 0u);
  Refiner fresh(c.context(threads), eager());
  run_all(refiner);
  run_all(fresh);
  EXPECT_EQ(refiner.state().gates, fresh.state().gates);
}

TEST(Refiner, TouchesOnlyTheNamedLayers) {
  RefinerCase c(meshed_network(3));
  Threads threads(2);
  RefineSettings settings = eager();
  settings.layers = {"fc"};
  Refiner refiner(c.context(threads), settings);
  run_all(refiner);
  const BooleanNetwork best = refiner.best();
  EXPECT_EQ(best.layers[0].gates, c.network.layers[0].gates);
  EXPECT_NE(best.layers[1].gates, c.network.layers[1].gates);
}

TEST(Refiner, LeavesWiresThatWereChosenAlone) {
  RefinerCase c(meshed_network(3));
  LayerDescription& first = c.network.layers[0].wiring;
  first.slots_are_wires = true;
  Threads threads(2);
  Refiner refiner(c.context(threads), eager());
  run_all(refiner);
  EXPECT_EQ(refiner.best().layers[0].gates, c.network.layers[0].gates);
  EXPECT_NE(refiner.best().layers[1].gates, c.network.layers[1].gates);
  RefineSettings settings = eager();
  settings.layers = {first.name};
  EXPECT_EQ(error_of([&] { Refiner(c.context(threads), settings); }), "The layers to be refined have no gates");
}

TEST(Refiner, RemovesGatesAtNoLossBeyondTheNoise) {
  RefinerCase c(matched_network(192, 3, 2));
  Threads threads(2);
  RefineSettings settings;
  settings.objective = "gates";
  Refiner refiner(c.context(threads), settings);
  run_all(refiner);
  const BooleanNetwork smaller = refiner.best();
  EXPECT_LT(count_working_gates(smaller), count_working_gates(c.network));
  const PairedChange change = paired_change(refiner.outcome_before(), refiner.outcome_of(smaller));
  EXPECT_LE(change.loss, change.loss_error);
}

TEST(Refiner, UsesAsManyCopiesAsMemoryAllows) {
  RefinerCase c(matched_network(96, 3, 2));
  Threads threads(1);
  RefineSettings settings;
  settings.copies = 8;
  settings.memory = 3 * FittingSet::bytes(c.plan, c.fitted.size(), 1);
  EXPECT_EQ(Refiner(c.context(threads, "flip-crop"), settings).copies(), 3u);
  EXPECT_EQ(Refiner(c.context(threads), settings).copies(), 1u) << "they would all be equal";
  settings.memory = 1000;
  EXPECT_NE(error_of([&] { Refiner(c.context(threads), settings); }).find("allow more memory"), std::string::npos);
}

TEST(Refiner, RefusesWhatMakesNoSense) {
  RefinerCase c(matched_network(96, 3, 2));
  Threads threads(1);
  RefineSettings settings;
  settings.layers = {"fc9"};
  EXPECT_NE(error_of([&] { Refiner(c.context(threads), settings); }).find("no layer \"fc9\""), std::string::npos);
  settings = {};
  settings.objective = "speed";
  EXPECT_NE(error_of([&] { Refiner(c.context(threads), settings); }).find("not an objective"), std::string::npos);
  settings = {};
  settings.sweeps = 0;
  EXPECT_NE(error_of([&] { Refiner(c.context(threads), settings); }).find("at least one sweep"), std::string::npos);
}

}  // namespace
}  // namespace firn
