// How losses meet data: heads that suit them, weights of classes, units of values.
#include "firn/train/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "firn/train/checkpoint.h"
#include "firn/train/loss_scale.h"
#include "firn/train/trainer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

// Bits; the class is 1 where the first `ones` of them are all set.
Dataset rare_class(std::size_t count, std::size_t ones) {
  RandomSequence random(3, "test/rare class");
  Dataset data;
  data.name = "rare";
  data.shape = {8, 1, 1};
  data.classes = 2;
  Matrix<std::uint8_t> bits(count, 8);
  for (std::size_t i = 0; i < count; ++i) {
    bool is_positive = true;
    for (std::size_t f = 0; f < 8; ++f) {
      bits[i][f] = random.below(2) ? 255 : 0;
      if (f < ones) is_positive = is_positive && bits[i][f] != 0;
    }
    data.train.labels.push_back(is_positive);
  }
  data.train.bytes = std::move(bits);
  return data;
}

class ExperimentTest : public ::testing::Test {
 protected:
  ExperimentTest() {
    settings_.encode.encoding = "passthrough";
    settings_.model = {.family = "dense", .width = 200, .layers = 3};
  }

  Experiment make(const Dataset& data, const std::string& loss) const { return make_experiment(data, settings_, loss); }

  // Discrete and relaxed accuracy on the training examples.
  std::pair<double, double> train(Experiment& experiment, const std::string& loss) {
    TrainSettings train;
    train.steps = 300;
    train.batch = 64;
    train.loss = loss;
    train.optimizer.learning_rate = 0.03;
    Trainer trainer(experiment, {.settings = train, .config = ""}, threads_);
    for (int i = 0; i < 300; ++i) trainer.train_one_step();
    Evaluator evaluator(*experiment.model, experiment.encoder, experiment.loss, 1, 2, threads_);
    const auto accuracy = [&](EvaluationMode mode) {
      return evaluator.run(experiment.data.train, experiment.split.train, mode).accuracy();
    };
    return {accuracy(EvaluationMode::kDiscrete), accuracy(EvaluationMode::kRelaxed)};
  }

  ExperimentSettings settings_;
  Threads threads_{1};
  TemporaryFolder folder_;
};

TEST_F(ExperimentTest, OneLogitLossesLearnWhatCrossEntropyLearns) {
  for (const std::size_t ones : {1, 3, 6}) {  // a half, an eighth and a sixty-fourth positive
    const double rare = std::ldexp(1.0, -static_cast<int>(ones));
    for (const char* loss : {"cross-entropy", "bce", "squared"}) {
      Experiment experiment = make(rare_class(2000, ones), loss);
      const auto [discrete, relaxed] = train(experiment, loss);
      // Most of the rare class is found; calling everything the usual class would be wrong on all of it.
      EXPECT_GT(discrete, 1 - rare / 2) << loss << ", " << ones;
      EXPECT_GT(relaxed, 1 - rare / 2 - (loss == std::string("squared") ? rare : 0)) << loss << ", " << ones;
    }
  }
}

TEST_F(ExperimentTest, HalfOfTheOutputsOfACentredHeadIsExactlyTheThreshold) {
  const Head bce = make(rare_class(100, 1), "bce").model->head();
  EXPECT_EQ(bce.offset + bce.factor * 100, 0);
  const Head squared = make(rare_class(100, 1), "squared").model->head();
  EXPECT_FLOAT_EQ(squared.offset + squared.factor * 100, 0.5f);
  EXPECT_EQ(make(rare_class(100, 1), "cross-entropy").model->head().offset, 0);
}

TEST_F(ExperimentTest, CheckpointsKeepTheHeadTheyWereTrainedWith) {
  Experiment experiment = make(rare_class(100, 1), "bce");
  const auto saved = [&](const CheckpointHeader& header) {
    save_checkpoint(folder_ / "a.safetensors", header, experiment.encoder,
                    [&](StateVisitor& visitor) { experiment.model->visit_state(visitor); });
    return Checkpoint::read(folder_ / "a.safetensors");
  };
  CheckpointHeader header{"", 1, 1, {}, {}};
  const Head centred = experiment.model->head();
  const Checkpoint old = saved(header);  // as it was written before heads were centred
  header.head = head_scale_of(*experiment.model);
  header.loss = {.class_weights = {0.1f, 3}};
  const Checkpoint now = saved(header);
  restore_model(old, *experiment.model);
  EXPECT_EQ(experiment.model->head().offset, 0);
  EXPECT_EQ(experiment.model->head().factor, centred.factor);
  restore_model(now, *experiment.model);
  EXPECT_EQ(experiment.model->head(), centred);
  EXPECT_THAT(now.header().loss.class_weights, ElementsAre(0.1f, 3));
}

TEST_F(ExperimentTest, BalancedWeightsAreInverseToWhatOccurs) {
  Dataset data = rare_class(8, 1);
  data.classes = 4;
  data.train.labels = {0, 0, 0, 0, 0, 2, 2, 3};
  const std::vector<std::uint32_t> training = {0, 1, 2, 3, 5, 6};  // 3 does not occur, nor does 1
  EXPECT_THAT(fit_loss_scale(data, training, {.word = "balanced"}).class_weights, ElementsAre(0.75f, 1, 1.5f, 1));
  EXPECT_THAT(fit_loss_scale(data, training, {{1, 2, 3, 0.5}}).class_weights, ElementsAre(1, 2, 3, 0.5f));
  EXPECT_TRUE(fit_loss_scale(data, training, {}).class_weights.empty());
  EXPECT_EQ(error_of([&] {
              fit_loss_scale(data, training, {{1, 2}});
            }),
            "train.class_weights has 2 weights, but rare has 4 classes; give one weight per class");
  EXPECT_EQ(error_of([&] {
              fit_loss_scale(data, training, {{0, 0, 0, 0}});
            }),
            "train.class_weights are all 0, so that nothing would be learned; give some class a weight above 0");
}

}  // namespace
}  // namespace firn
