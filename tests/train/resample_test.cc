#include "firn/train/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "firn/model/build.h"

namespace firn {
namespace {

// A model, compact unless a test asks for another, whose logits only the test and the resampler change.
class ResampleTest : public ::testing::Test {
 protected:
  void make(const ResampleSettings& settings = {.enabled = true},
            const ModelSettings& network = {.family = "compact", .width = 2}) {
    model_ = build_model(network, {1, 28, 28}, 10, 1);
    optimizer_ = make_optimizer(*model_, {});
    for (const Neurons* group : std::as_const(*model_).neurons()) scores_.emplace_back(group->count(), kSlots);
    resampler_ = std::make_unique<Resampler>(*model_, settings, 7, threads_);
  }

  // Weight `p` for one slot, the rest shared equally by the others.
  void set_row(std::size_t group, std::size_t i, std::size_t winner, double p) {
    std::ranges::fill(model_->neurons()[group]->logits[i], 0.f);
    model_->neurons()[group]->logits.row(i)[winner] = static_cast<float>(std::log(15 * p / (1 - p)));
  }

  void run(std::uint64_t step) { resampler_->on_step({step, 0, *model_, *optimizer_, scores_}); }

  Resampler::Redraw redraw(std::size_t group, std::size_t i) const { return resampler_->last_redraws(group)[i]; }

  Threads threads_{1};
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Matrix<float>> scores_;
  std::unique_ptr<Resampler> resampler_;
};

TEST_F(ResampleTest, AStrongRowIsRedrawnAtTheHundredthSteadyStepAndKeepsItsWinner) {
  make();
  set_row(4, 3, 5, 0.96);
  Neurons& fc1 = *model_->neurons()[4];
  fc1.opcodes[3 * kSlots + 5] = 9;
  const std::vector<std::uint32_t>& wires = model_->wiring(4).tap_channel;
  const auto first_wire = wires[2 * (3 * kSlots + 5)], second_wire = wires[2 * (3 * kSlots + 5) + 1];
  const auto before = wires;
  run(1);  // sets the average
  for (std::uint64_t t = 2; t <= 100; ++t) {
    run(t);
    ASSERT_EQ(redraw(4, 3), Resampler::Redraw::kNone) << t;
  }
  run(101);
  EXPECT_EQ(redraw(4, 3), Resampler::Redraw::kStrong);
  EXPECT_EQ(redraw(4, 2), Resampler::Redraw::kNone);  // 0.9: between the thresholds
  alignas(64) float weights[kSlots];
  softmax_rows(1, fc1.logits.row(3), 1, weights);
  EXPECT_NEAR(weights[5], 0.9, 1e-6);
  EXPECT_NEAR(weights[0], 0.1 / 15, 1e-7);
  EXPECT_EQ(fc1.opcodes[3 * kSlots + 5], 9);
  EXPECT_EQ(wires[2 * (3 * kSlots + 5)], first_wire);
  EXPECT_EQ(wires[2 * (3 * kSlots + 5) + 1], second_wire);
  const auto row = before.begin() + 2 * 3 * kSlots;
  EXPECT_FALSE(std::equal(row, row + 2 * kSlots, wires.begin() + 2 * 3 * kSlots));  // the other slots have new wires
}

TEST_F(ResampleTest, AWeakRowIsDrawnAnew) {
  make();
  set_row(0, 1, 2, 0.3);
  for (std::uint64_t t = 1; t <= 101; ++t) run(t);
  EXPECT_EQ(redraw(0, 1), Resampler::Redraw::kWeak);
  const auto logits = model_->neurons()[0]->logits[1];
  EXPECT_EQ(std::ranges::count(logits, 0.f), 0);  // normal numbers
  EXPECT_LT(*std::ranges::max_element(logits), 6.f);
}

TEST_F(ResampleTest, ARowBetweenOnlyStartsItsCountAnew) {
  make();
  set_row(0, 1, 2, 0.6);
  const std::vector<float> before(model_->neurons()[0]->logits[1].begin(), model_->neurons()[0]->logits[1].end());
  for (std::uint64_t t = 1; t <= 150; ++t) run(t);
  EXPECT_TRUE(std::ranges::equal(before, model_->neurons()[0]->logits[1]));
  set_row(0, 1, 2, 0.6001);  // stays steady; the count stands at 49
  set_row(0, 1, 2, 0.96);    // a jump: the average must settle first
  for (std::uint64_t t = 151; t <= 200; ++t) {
    run(t);
    ASSERT_EQ(redraw(0, 1), Resampler::Redraw::kNone) << t;
  }
}

TEST_F(ResampleTest, MomentsOfARedrawnRowAreForgottenAndTheCountOfUpdatesStays) {
  make();
  for (Matrix<float>& rows : scores_)
    for (std::size_t i = 0; i < rows.rows(); ++i) std::ranges::fill(rows[i], 1.f);
  model_->prepare({WeightPlan{}}, threads_);
  const std::vector<float> temperatures(scores_.size(), 1.f);
  LogitGradients gradients(*model_);
  gradients.assign(scores_, temperatures);
  optimizer_->update(*model_, gradients, 0.02, threads_);
  set_row(4, 0, 5, 0.96);
  for (std::uint64_t t = 1; t <= 101; ++t) run(t);
  ASSERT_EQ(redraw(4, 0), Resampler::Redraw::kStrong);
  struct Look final : StateVisitor {
    void visit(const std::string&, std::span<float>) override {}
    void visit(const std::string&, std::span<double>) override {}
    void visit(const std::string&, std::span<std::uint8_t>) override {}
    void visit(const std::string&, std::span<std::int8_t>) override {}
    void visit(const std::string&, std::span<std::uint32_t>) override {}
    void visit(const std::string&, std::span<std::uint64_t> values) override { updates = values[0]; }
    void visit(const std::string& name, Matrix<float>& rows) override {
      if (!name.starts_with("optimizer.fc1.")) return;
      zeros.push_back(std::ranges::all_of(rows[0], [](float m) { return m == 0; }));
      others.push_back(std::ranges::any_of(rows[1], [](float m) { return m != 0; }));
    }
    std::uint64_t updates = 0;
    std::vector<bool> zeros, others;
  } look;
  optimizer_->visit_state(look);
  EXPECT_EQ(look.zeros, std::vector<bool>({true, true}));
  EXPECT_EQ(look.others, std::vector<bool>({true, true}));
  EXPECT_EQ(look.updates, 1u);
}

TEST_F(ResampleTest, ConvolutionsKeepTheirChannelAndFrozenRowsAreLeftAlone) {
  make();
  set_row(2, 0, 5, 0.96);
  set_row(2, 1, 5, 0.96);
  model_->neurons()[2]->frozen[1] = 5;
  const std::vector<float> frozen(model_->neurons()[2]->logits[1].begin(), model_->neurons()[2]->logits[1].end());
  for (std::uint64_t t = 1; t <= 101; ++t) run(t);
  EXPECT_EQ(redraw(2, 0), Resampler::Redraw::kStrong);
  EXPECT_EQ(redraw(2, 1), Resampler::Redraw::kNone);
  EXPECT_TRUE(std::ranges::equal(frozen, model_->neurons()[2]->logits[1]));
}

TEST_F(ResampleTest, WiresThatAreRedrawnStayWires) {
  make({.enabled = true},
       {.family = "list",
        .layer = {{"slot-select", {{"outputs", std::int64_t{40}}}}, {"dense", {{"outputs", std::int64_t{20}}}}}});
  set_row(0, 3, 5, 0.96);  // strong
  set_row(0, 4, 5, 0.3);   // weak
  const auto before = model_->wiring(0).tap_channel;
  for (std::uint64_t t = 1; t <= 101; ++t) run(t);
  EXPECT_EQ(redraw(0, 3), Resampler::Redraw::kStrong);
  EXPECT_EQ(redraw(0, 4), Resampler::Redraw::kWeak);
  EXPECT_NE(before, model_->wiring(0).tap_channel);
  for (const std::uint8_t opcode : model_->neurons()[0]->opcodes)
    EXPECT_EQ(opcode, static_cast<std::uint8_t>(Gate::kA));
}

TEST_F(ResampleTest, StopsAfterItsLastStep) {
  make({.enabled = true, .until = 100});
  set_row(4, 3, 5, 0.96);
  for (std::uint64_t t = 1; t <= 300; ++t) {
    run(t);
    ASSERT_EQ(redraw(4, 3), Resampler::Redraw::kNone) << t;
  }
}

}  // namespace
}  // namespace firn
