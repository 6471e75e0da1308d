// Averaging of iterates: what is averaged, what is shown and stored, and that training does not notice.
#include "firn/train/average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "firn/base/file.h"
#include "firn/train/trainer.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

constexpr double kDecay = 0.9;

class AverageTest : public ::testing::Test {
 protected:
  AverageTest() {
    settings_.steps = 40;
    settings_.batch = 32;
    settings_.shard = 16;
    settings_.eval_every = 10;
  }

  // An experiment with a trainer that averages.
  struct Training {
    explicit Training(const AverageTest& test, LogitAverage::IsRedrawn is_redrawn = {})
        : experiment(make_experiment(test.experiment_settings(), test.settings_.loss)),
          average(*experiment.model, kDecay, std::move(is_redrawn), threads),
          trainer(experiment, {.settings = test.settings_, .config = "", .hooks = {&average}}, threads) {}

    const Matrix<float>& logits() const { return experiment.model->neurons()[0]->logits; }

    Threads threads{1};
    Experiment experiment;
    LogitAverage average;
    Trainer trainer;
  };

  ExperimentSettings experiment_settings() const {
    ExperimentSettings experiment;
    experiment.data.source = "parity";
    experiment.data.synthetic = {.inputs = 8, .examples = 500};
    experiment.encode.encoding = "passthrough";
    experiment.model = {.family = "dense", .width = 32, .layers = 2};
    return experiment;
  }

  // Trains in a folder from its newest checkpoint on, and stops after step `until`.
  void train(const std::filesystem::path& path, std::uint64_t until) const {
    const RunFolder folder(path);
    folder.make();
    Training training(*this);
    if (const auto checkpoint = folder.newest([](std::string_view) {})) training.trainer.restore(*checkpoint);
    TrainObserver observer;
    observer.cancelled = [&] { return training.trainer.step() >= until; };
    training.trainer.run(&folder, observer);
  }

  TemporaryFolder folder_;
  TrainSettings settings_;
};

std::vector<float> values(const Matrix<float>& matrix) {
  return {matrix.data(), matrix.data() + matrix.rows() * kSlots};
}

TEST_F(AverageTest, TheModelEndsWithTheAverageOfAllIterates) {
  Training training(*this);
  std::vector<double> expected;
  for (std::uint64_t step = 0; step < settings_.steps; ++step) {
    training.trainer.train_one_step();
    const std::vector<float> logits = values(training.logits());
    expected.resize(logits.size());
    const double steps = static_cast<double>(step), keep = std::min(kDecay, steps / (steps + 10));
    for (std::size_t i = 0; i < logits.size(); ++i) expected[i] = keep * expected[i] + (1 - keep) * logits[i];
  }
  const std::vector<float> iterate = values(training.logits());
  training.trainer.run(nullptr, {});  // no step is left
  const std::vector<float> shown = values(training.logits());
  EXPECT_NE(shown, iterate);
  for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_NEAR(shown[i], expected[i], 1e-5);
}

TEST_F(AverageTest, TrainingTakesTheSameSteps) {
  Training averaging(*this);
  Experiment plain = make_experiment(experiment_settings(), settings_.loss);
  Threads threads(1);
  Trainer trainer(plain, {.settings = settings_, .config = ""}, threads);
  averaging.trainer.run(nullptr, {});
  for (int i = 0; i < 41; ++i) trainer.train_one_step();
  averaging.trainer.train_one_step();
  EXPECT_EQ(values(averaging.logits()), values(plain.model->neurons()[0]->logits));
}

TEST_F(AverageTest, CheckpointsHoldTheAverageAndResumeToTheBit) {
  train(folder_ / "whole", 40);
  for (std::uint64_t stop : {3, 17, 40}) train(folder_ / "parts", stop);
  EXPECT_EQ(read_text(RunFolder(folder_ / "whole").last()), read_text(RunFolder(folder_ / "parts").last()));
  Training training(*this);
  training.trainer.run(nullptr, {});
  Experiment restored = make_experiment(experiment_settings(), settings_.loss);
  restore_model(Checkpoint::read(RunFolder(folder_ / "whole").last()), *restored.model);
  EXPECT_EQ(values(restored.model->neurons()[0]->logits), values(training.logits()));
}

TEST_F(AverageTest, ANeuronThatWasDrawnAnewStartsAgain) {
  Training training(*this, [](std::size_t group, std::size_t neuron) { return group == 0 && neuron == 5; });
  for (std::uint64_t step = 0; step < settings_.steps; ++step) training.trainer.train_one_step();
  const Matrix<float> iterate = training.logits();
  training.trainer.run(nullptr, {});
  EXPECT_TRUE(std::ranges::equal(training.logits()[5], iterate[5]));
  EXPECT_FALSE(std::ranges::equal(training.logits()[4], iterate[4]));
}

}  // namespace
}  // namespace firn
