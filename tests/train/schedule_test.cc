#include "firn/train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "firn/train/settings.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Schedule, ConstantIsTheFullRateToTheBit) {
  for (std::uint64_t step : {1, 2, 99, 100, 5000}) EXPECT_EQ(scheduled_rate({}, 0.02, step, 100), 0.02);
}

TEST(Schedule, CosineAndLinearGoFromTheFullRateToTheFloor) {
  for (const char* name : {"cosine", "linear"})
    for (double floor : {0.0, 0.1, 1.0 / 3}) {
      const ScheduleSettings settings{.name = name, .floor = floor};
      EXPECT_EQ(scheduled_rate(settings, 1, 1, 101), 1) << name;
      EXPECT_DOUBLE_EQ(scheduled_rate(settings, 1, 51, 101), (1 + floor) / 2) << name;
      EXPECT_EQ(scheduled_rate(settings, 1, 101, 101), floor) << name;
      EXPECT_EQ(scheduled_rate(settings, 1, 200, 101), floor) << name;  // after the last step
      for (std::uint64_t t = 1; t < 101; ++t)
        EXPECT_GT(scheduled_rate(settings, 1, t, 101), scheduled_rate(settings, 1, t + 1, 101)) << name;
    }
}

TEST(Schedule, CosineIsACosineAndLinearALine) {
  EXPECT_DOUBLE_EQ(scheduled_rate({.name = "cosine", .floor = 0.2}, 0.5, 26, 101),
                   0.5 * (0.2 + 0.8 * (1 + std::cos(std::numbers::pi / 4)) / 2));
  EXPECT_DOUBLE_EQ(scheduled_rate({.name = "linear", .floor = 0.2}, 0.5, 26, 101), 0.5 * (1 - 0.8 * 0.25));
}

TEST(Schedule, StepFallsEverySoManyStepsDownToTheFloor) {
  const ScheduleSettings settings{.name = "step", .floor = 0.1, .step_every = 10, .step_factor = 0.5};
  EXPECT_EQ(scheduled_rate(settings, 1, 1, 100), 1);
  EXPECT_EQ(scheduled_rate(settings, 1, 10, 100), 1);
  EXPECT_EQ(scheduled_rate(settings, 1, 11, 100), 0.5);
  EXPECT_EQ(scheduled_rate(settings, 1, 31, 100), 0.125);
  EXPECT_EQ(scheduled_rate(settings, 1, 41, 100), 0.1);
  EXPECT_EQ(scheduled_rate(settings, 1, 99, 100), 0.1);
  EXPECT_EQ(scheduled_rate(settings, 1, 31, 7000), 0.125);  // whatever the length of the run
}

TEST(Schedule, WarmUpRisesToTheFullRateAndTheScheduleFollowsIt) {
  for (const ScheduleEntry& entry : schedules()) {
    const ScheduleSettings settings{.name = std::string(entry.name), .warmup = 4, .floor = 0.5, .step_every = 10};
    EXPECT_EQ(scheduled_rate(settings, 2, 1, 20), 0.5) << entry.name;
    EXPECT_EQ(scheduled_rate(settings, 2, 3, 20), 1.5) << entry.name;
    EXPECT_EQ(scheduled_rate(settings, 2, 4, 20), 2) << entry.name;
    EXPECT_EQ(scheduled_rate(settings, 2, 5, 20), 2) << entry.name;
    EXPECT_EQ(scheduled_rate(settings, 2, 20, 20), entry.name == "constant" ? 2 : 1) << entry.name;
  }
}

TEST(Schedule, ARunOfOneStepHasTheFullRate) {
  for (const ScheduleEntry& entry : schedules())
    EXPECT_EQ(scheduled_rate({.name = std::string(entry.name)}, 0.02, 1, 1), 0.02) << entry.name;
}

TEST(Schedule, RefusesWhatCannotBe) {
  const auto refusal = [](const ScheduleSettings& schedule) {
    return error_of([&] {
      TrainSettings settings;
      settings.steps = 100;
      settings.schedule = schedule;
      check_settings(settings);
    });
  };
  EXPECT_THAT(refusal({.name = "sine"}), AllOf(HasSubstr("\"sine\""), HasSubstr("constant, cosine, linear, step")));
  EXPECT_THAT(refusal({.warmup = 100}), AllOf(HasSubstr("train.warmup = 100"), HasSubstr("train.steps = 100")));
  EXPECT_THAT(refusal({.name = "step", .step_every = 0}), HasSubstr("train.step_every"));
}

}  // namespace
}  // namespace firn
