#include "firn/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest() {
    settings_.steps = 40;
    settings_.batch = 32;
    settings_.shard = 16;
    experiment_ = make();
    trainer_ = std::make_unique<Trainer>(*experiment_, Trainer::Setup{.settings = settings_, .config = ""}, threads_);
  }

  std::unique_ptr<Experiment> make() const {
    ExperimentSettings experiment;
    experiment.data.source = "parity";
    experiment.data.synthetic.inputs = 8;
    experiment.data.synthetic.examples = 500;
    experiment.encode.encoding = "passthrough";
    experiment.model = {.family = "dense", .width = 32, .layers = 2};
    return std::make_unique<Experiment>(make_experiment(experiment, settings_.loss));
  }

  // Trains in a folder, from the newest checkpoint in it, and stops after step `until`.
  void train(const std::filesystem::path& path, std::uint64_t until) {
    const RunFolder folder(path);
    std::filesystem::create_directories(folder.path());
    const auto experiment = make();
    Trainer trainer(*experiment, {.settings = settings_, .config = ""}, threads_);
    if (const auto checkpoint = folder.newest([](std::string_view) {})) trainer.restore(*checkpoint);
    TrainObserver observer;
    observer.cancelled = [&] { return trainer.step() >= until; };
    trainer.run(&folder, observer);
  }

  TemporaryFolder folder_;
  Threads threads_{1};
  TrainSettings settings_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Trainer> trainer_;
};

TEST_F(TrainerTest, LossFalls) {
  double first = 0, last = 0;
  for (int i = 0; i < 10; ++i) first += trainer_->train_one_step();
  for (int i = 0; i < 300; ++i) trainer_->train_one_step();
  for (int i = 0; i < 10; ++i) last += trainer_->train_one_step();
  EXPECT_LT(last, first);
}

TEST_F(TrainerTest, NumbersThatAreNotFiniteStopItAndNameLayerAndStep) {
  trainer_->train_one_step();
  experiment_->model->neurons()[1]->logits.row(3)[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of([&] { trainer_->train_one_step(); }), AllOf(HasSubstr("step 2"), HasSubstr("layer fc2")));
}

TEST_F(TrainerTest, ARunWithAScheduleResumesToTheBitAndShowsItsRate) {
  settings_.schedule = {.name = "cosine", .warmup = 8, .floor = 0.1};
  settings_.eval_every = 5;
  train(folder_ / "whole", 40);
  for (std::uint64_t stop : {3, 8, 22, 40}) train(folder_ / "parts", stop);
  const RunFolder whole(folder_ / "whole"), parts(folder_ / "parts");
  EXPECT_EQ(read_text(whole.last()), read_text(parts.last()));
  std::istringstream lines(read_text(parts.metrics()));
  std::uint64_t step = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto metrics = nlohmann::json::parse(line);
    EXPECT_EQ(metrics.at("step"), step += 5);
    EXPECT_EQ(metrics.at("learning_rate"), scheduled_rate(settings_.schedule, 0.02, step, 40));
  }
  EXPECT_EQ(step, 40u);
  settings_.schedule = {};
  train(folder_ / "constant", 40);
  EXPECT_NE(read_text(whole.last()), read_text(RunFolder(folder_ / "constant").last()));
}

TEST_F(TrainerTest, NobodyNeedsToListen) {
  const RunFolder folder(folder_ / "run");
  std::filesystem::create_directories(folder.path());
  EXPECT_TRUE(trainer_->run(&folder, {}));
  EXPECT_EQ(Checkpoint::read(folder.last()).header().step, 40u);
}

TEST_F(TrainerTest, FrozenNeuronsKeepLogitsWhileOthersLearn) {
  Neurons& fc1 = *experiment_->model->neurons()[0];
  for (std::size_t i = 0; i < fc1.count(); i += 2) fc1.frozen[i] = 6;
  const Matrix<float> before = fc1.logits;
  for (int i = 0; i < 5; ++i) trainer_->train_one_step();
  std::size_t moved = 0;
  for (std::size_t i = 0; i < fc1.count(); ++i) {
    const bool same = std::ranges::equal(before[i], fc1.logits[i]);
    if (i % 2 == 0) {
      EXPECT_TRUE(same) << i;
    } else {
      moved += !same;
    }
  }
  EXPECT_GT(moved, 0u);
}

}  // namespace
}  // namespace firn
