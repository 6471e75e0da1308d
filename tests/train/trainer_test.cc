#include "firn/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "tests/support/expect_error.h"

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
    ExperimentSettings experiment;
    experiment.data.source = "parity";
    experiment.data.synthetic.inputs = 8;
    experiment.data.synthetic.examples = 500;
    experiment.encode.encoding = "passthrough";
    experiment.model = {.family = "dense", .width = 32, .layers = 2};
    experiment_ = std::make_unique<Experiment>(make_experiment(experiment, settings_.loss));
    trainer_ = std::make_unique<Trainer>(*experiment_, Trainer::Setup{.settings = settings_, .config = ""}, threads_);
  }

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
