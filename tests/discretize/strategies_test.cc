#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/discretize/strategy_check.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FreezeSettings task_settings() {
  FreezeSettings settings;
  settings.strategy = "task";
  settings.start = 100;
  settings.task.interval = 10;
  settings.task.half_life = 10;  // beta = 1/2
  return settings;
}

TEST(Task, FreezesAtTheThirdEvaluationAfterTheStart) {
  StrategyCheck check(task_settings());
  check.set_scores(-1);
  for (std::uint64_t t = 1; t <= 200; ++t) check.run(t);
  EXPECT_THAT(check.steps_of_events(), ElementsAre(130));
  EXPECT_EQ(check.events.size(), 12u);
  EXPECT_EQ(check.events[0].slot, static_cast<std::size_t>(Gate::kA));  // residual initialization
}

TEST(Task, AStartOnAnEvaluationDoesNotCount) {
  FreezeSettings settings = task_settings();
  settings.start = 110;
  StrategyCheck check(settings);
  check.set_scores(-1);
  for (std::uint64_t t = 1; t <= 200; ++t) check.run(t);
  EXPECT_THAT(check.steps_of_events(), ElementsAre(140));
}

TEST(Task, NeverFreezesWhatWouldHurt) {
  StrategyCheck check(task_settings());
  for (float score : {1.f, 0.f}) {
    check.set_scores(score);
    for (std::uint64_t t = 1; t <= 200; ++t) check.run(t);
    EXPECT_THAT(check.events, IsEmpty());
  }
}

TEST(Task, TheAverageStartsAtZeroAndDecaysByHalf) {
  StrategyCheck check(task_settings());
  // Averages: -1/2, then (-1/2 + 0.4)/2 < 0, then (-0.05 + 0.04)/2 < 0: all negative although the last two shocks are
  // not.
  const float shocks[] = {-1.f, 0.4f, 0.04f};
  for (int i = 0; i < 3; ++i) {
    check.set_scores(shocks[i]);
    check.run(110 + 10 * static_cast<std::uint64_t>(i));
  }
  EXPECT_THAT(check.steps_of_events(), ElementsAre(130));
}

TEST(Task, APositiveAverageStartsTheCountAnew) {
  StrategyCheck check(task_settings());
  for (auto [step, shock] : {std::pair{110, -1.f}, {120, -1.f}, {130, 4.f}, {140, -9.f}, {150, -9.f}, {160, -9.f}}) {
    check.set_scores(shock);
    check.run(static_cast<std::uint64_t>(step));
  }
  EXPECT_THAT(check.steps_of_events(), ElementsAre(160));
}

TEST(Task, LooksAtTheScoreOfTheArgmaxOnlyAndTiesGoToTheLowestSlot) {
  StrategyCheck check(task_settings(), {"fc2"});
  Neurons& fc2 = *check.model->neurons()[1];
  for (std::size_t i = 0; i < fc2.count(); ++i) std::ranges::fill(fc2.logits[i], 0.f);  // all slots tie
  check.set_scores(1);
  for (std::size_t i = 0; i < fc2.count(); ++i) check.scores[1].row(i)[0] = -1;
  for (std::uint64_t t = 110; t <= 130; t += 10) check.run(t);
  ASSERT_EQ(check.events.size(), 4u);
  for (const FreezeEvent& event : check.events) {
    EXPECT_EQ(event.layer, "fc2");
    EXPECT_EQ(event.slot, 0u);
    EXPECT_EQ(event.score, -1);
    EXPECT_NEAR(event.entropy, 1, 1e-5);
  }
}

TEST(Task, AChangedArgmaxKeepsTheAverageUnlessAskedOtherwise) {
  for (bool reset : {false, true}) {
    FreezeSettings settings = task_settings();
    settings.task.reset_on_change = reset;
    StrategyCheck check(settings, {"fc1"});
    check.set_scores(-1);
    check.run(110);
    check.run(120);
    Neurons& fc1 = *check.model->neurons()[0];
    for (std::size_t i = 0; i < fc1.count(); ++i) fc1.logits.row(i)[7] = 9;
    check.run(130);
    EXPECT_EQ(check.events.size(), reset ? 0u : 4u);
    if (!reset) {
      EXPECT_EQ(check.events[0].slot, 7u);
    }
    check.run(140);
    check.run(150);
    EXPECT_EQ(check.events.size(), 4u);
  }
}

TEST(Task, ARedrawnRowIsNotEvaluatedAndAWeakRedrawForgets) {
  for (auto redraw : {Resampler::Redraw::kStrong, Resampler::Redraw::kWeak}) {
    StrategyCheck check(task_settings());
    check.set_scores(-1);
    check.run(110);
    check.run(120);
    check.redraw = redraw;
    check.run(130);
    EXPECT_THAT(check.events, IsEmpty());
    check.redraw = Resampler::Redraw::kNone;
    for (std::uint64_t t = 140; t <= 200; t += 10) check.run(t);
    EXPECT_THAT(check.steps_of_events(), ElementsAre(redraw == Resampler::Redraw::kStrong ? 140 : 160));
  }
}

TEST(Task, AWeakRedrawBetweenEvaluationsForgetsAndAStrongOneDoesNot) {
  for (const char* score : {"minibatch", "every-step"})
    for (auto redraw : {Resampler::Redraw::kStrong, Resampler::Redraw::kWeak}) {
      FreezeSettings settings = task_settings();
      settings.task.score = score;
      StrategyCheck check(settings);
      check.set_scores(-1);
      for (std::uint64_t t = 101; t <= 200; ++t) {
        check.redraw = t == 123 ? redraw : Resampler::Redraw::kNone;
        check.run(t);
      }
      EXPECT_THAT(check.steps_of_events(), ElementsAre(redraw == Resampler::Redraw::kStrong ? 130 : 150)) << score;
    }
}

TEST(Task, AWeakRedrawForgetsTheScoresOfTheIntervalToo) {
  FreezeSettings settings = task_settings();
  settings.task.score = "every-step";
  settings.task.patience = 1;
  StrategyCheck check(settings);
  for (std::uint64_t t = 101; t <= 110; ++t) {
    check.set_scores(t < 105 ? 9.f : -1.f);  // positive scores of gates that are no longer there
    check.redraw = t == 105 ? Resampler::Redraw::kWeak : Resampler::Redraw::kNone;
    check.run(t);
  }
  EXPECT_THAT(check.steps_of_events(), ElementsAre(110));
  EXPECT_EQ(check.events[0].score, -1);
}

TEST(Task, EveryStepScoresAreAveragedOverTheInterval) {
  FreezeSettings settings = task_settings();
  settings.task.score = "every-step";
  settings.task.patience = 1;
  StrategyCheck check(settings);
  for (std::uint64_t t = 101; t <= 110; ++t) {
    check.set_scores(t == 110 ? 5.f : -1.f);  // the mean is -0.4 although the last shock is positive
    check.run(t);
  }
  EXPECT_THAT(check.steps_of_events(), ElementsAre(110));
  EXPECT_NEAR(check.events[0].score, -0.4, 1e-6);
}

TEST(Global, FreezesItsScopeAfterTheStartStepAndNothingElse) {
  FreezeSettings settings;
  settings.strategy = "global";
  settings.start = 50;
  StrategyCheck check(settings, {"fc1", "fc3"});
  for (std::uint64_t t = 1; t <= 100; ++t) check.run(t);
  EXPECT_THAT(check.steps_of_events(), ElementsAre(50));
  EXPECT_TRUE(check.model->neurons()[0]->all_frozen());
  EXPECT_EQ(check.model->neurons()[1]->frozen_count(), 0u);
  EXPECT_TRUE(check.model->neurons()[2]->all_frozen());
}

TEST(Entropy, FreezesTwoHundredStepsAfterTheStartWhenNothingMoves) {
  FreezeSettings settings;
  settings.strategy = "entropy";
  settings.start = 30;
  StrategyCheck check(settings);
  for (std::uint64_t t = 1; t <= 300; ++t) check.run(t);
  EXPECT_THAT(check.steps_of_events(), ElementsAre(230));
}

TEST(Entropy, AJumpOfOneNeuronDelaysThatNeuronOnly) {
  FreezeSettings settings;
  settings.strategy = "entropy";
  settings.start = 10;
  settings.entropy.patience = 20;
  StrategyCheck check(settings, {"fc1"});
  for (std::uint64_t t = 1; t <= 2000; ++t) {
    if (t == 25) check.model->neurons()[0]->logits.row(2)[3] = 2;
    check.run(t);
  }
  ASSERT_EQ(check.events.size(), 4u);
  EXPECT_EQ(check.events[2].step, 30u);
  EXPECT_EQ(check.events[3].neuron, 2u);
  // The average needs ln(jump / tolerance) / -ln 0.99 steps to come near again, and then the patience.
  EXPECT_GT(check.events[3].step, 400u);
  EXPECT_LT(check.events[3].step, 1000u);
}

TEST(LayerEntropy, FreezesLayersOneAfterTheOther) {
  FreezeSettings settings;
  settings.strategy = "layer-entropy";
  settings.start = 1000;
  StrategyCheck check(settings);
  for (std::uint64_t t = 990; t <= 2000; ++t) check.run(t);
  EXPECT_THAT(check.steps_of_events(), ElementsAre(1200, 1401, 1602));
  EXPECT_EQ(check.events.front().layer, "fc1");
  EXPECT_EQ(check.events.back().layer, "fc3");
}

TEST(FinalArgmax, ChangesNothing) {
  StrategyCheck check({});
  check.set_scores(-1);
  for (std::uint64_t t = 1; t <= 3000; ++t) check.run(t);
  EXPECT_THAT(check.events, IsEmpty());
}

TEST(Cage, IsHardFromTheStepAfterTheStartAtTheTemperatureOfItsConfidence) {
  FreezeSettings settings;
  settings.strategy = "cage";
  settings.start = 5;
  StrategyCheck check(settings);
  EXPECT_FALSE(check.run(5).weights[0].hard);
  const StepPlan plan = check.run(6);
  const double confidence = std::exp(5.0) / (std::exp(5.0) + 15);
  const double expected = 3 - 2.5 * (confidence - 1.0 / 16) / (1 - 1.0 / 16);
  for (const WeightPlan& weights : plan.weights) {
    EXPECT_TRUE(weights.hard);
    EXPECT_NEAR(weights.backward_temperature, expected, 1e-5);
  }
  EXPECT_THAT(check.events, IsEmpty());
}

TEST(Cage, AUniformStartWarmsUpFromTheHottestTemperature) {
  FreezeSettings settings;
  settings.strategy = "cage";
  settings.cage.ema_init = "uniform";
  StrategyCheck check(settings);
  EXPECT_NEAR(check.run(1).weights[0].backward_temperature, 3, 0.05);
  StepPlan last = check.run(2);
  for (std::uint64_t t = 3; t <= 2000; ++t) last = check.run(t);
  EXPECT_NEAR(last.weights[0].backward_temperature, 0.745, 0.01);
}

TEST(Estimators, ChooseForwardAndBackward) {
  struct Case {
    const char* name;
    bool hard, noisy;
  };
  for (const Case& c :
       {Case{"hard-st", true, false}, Case{"gumbel-st", true, true}, Case{"soft-gumbel", false, true}}) {
    FreezeSettings settings;
    settings.strategy = c.name;
    settings.start = 3;
    settings.estimator.temperature = 0.5;
    StrategyCheck check(settings);
    EXPECT_EQ(check.run(3).weights[1].backward_temperature, 1) << c.name;
    const WeightPlan weights = check.run(4).weights[1];
    EXPECT_EQ(weights.hard, c.hard) << c.name;
    EXPECT_EQ(weights.noise != nullptr, c.noisy) << c.name;
    EXPECT_EQ(weights.backward_temperature, 0.5f) << c.name;
  }
}

TEST(Annealed, FallsGeometricallyToTheLastStep) {
  FreezeSettings settings;
  settings.strategy = "annealed";
  StrategyCheck check(settings);
  EXPECT_NEAR(check.run(500).weights[0].forward_temperature, std::sqrt(2 * 0.2), 1e-5);
  EXPECT_NEAR(check.run(1000).weights[0].forward_temperature, 0.2, 1e-6);
}

}  // namespace
}  // namespace firn
