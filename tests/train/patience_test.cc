// Early stopping: when training ends, what it remembers, and which step is the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "firn/base/file.h"
#include "firn/train/trainer.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

class PatienceTest : public ::testing::Test {
 protected:
  PatienceTest() {
    settings_.steps = 400;
    settings_.batch = 32;
    settings_.shard = 16;
    settings_.eval_every = 5;
    settings_.patience = 4;
  }

  // Labels that cannot be learned: the loss soon stops falling.
  Experiment make() const {
    ExperimentSettings experiment;
    experiment.data.source = "parity";
    experiment.data.synthetic = {.inputs = 8, .examples = 500, .noise = 0.5};
    experiment.encode.encoding = "passthrough";
    experiment.model = {.family = "dense", .width = 32, .layers = 2};
    return make_experiment(experiment, settings_.loss);
  }

  // Trains on from the newest checkpoint until `until`; the step where it ended.
  std::uint64_t train(const std::filesystem::path& path, std::uint64_t until) {
    const RunFolder folder(path);
    std::filesystem::create_directories(folder.path());
    Experiment experiment = make();
    Trainer trainer(experiment, {.settings = settings_, .config = ""}, threads_);
    if (const auto checkpoint = folder.newest([](std::string_view) {})) trainer.restore(*checkpoint);
    TrainObserver observer;
    observer.cancelled = [&] { return trainer.step() >= until; };
    is_complete_ = trainer.run(&folder, observer);
    is_out_ = trainer.is_out_of_patience();
    return trainer.step();
  }

  struct Evaluated {
    std::uint64_t step;
    double loss, accuracy;
  };
  static std::vector<Evaluated> evaluations(const std::filesystem::path& path) {
    std::istringstream lines(read_text(RunFolder(path).metrics()));
    std::vector<Evaluated> rows;
    for (std::string line; std::getline(lines, line);) {
      const auto object = nlohmann::json::parse(line);
      rows.push_back({object.at("step"), object.at("discrete").at("loss"), object.at("discrete").at("accuracy")});
    }
    return rows;
  }

  TemporaryFolder folder_;
  Threads threads_{1};
  TrainSettings settings_;
  bool is_complete_ = false, is_out_ = false;
};

TEST_F(PatienceTest, StopsAfterSoManyEvaluationsWithoutASmallerLossAndKeepsTheBest) {
  const std::uint64_t end = train(folder_ / "a", 1000);
  ASSERT_LT(end, 400u);
  EXPECT_TRUE(is_complete_);
  EXPECT_TRUE(is_out_);
  double smallest = 1e9;
  std::uint64_t best = 0, stale = 0;
  for (const Evaluated& e : evaluations(folder_ / "a")) {
    EXPECT_LT(stale, 4u) << e.step;
    stale = e.loss < smallest ? 0 : e.loss > smallest ? stale + 1 : stale;  // the same circuit does not count
    if (e.loss <= smallest) best = e.step, smallest = e.loss;
  }
  EXPECT_EQ(stale, 4u);
  const RunFolder folder(folder_ / "a");
  EXPECT_EQ(Checkpoint::read(folder.best()).header().step, best);
  EXPECT_EQ(Checkpoint::read(folder.last()).header().step, end);
}

TEST_F(PatienceTest, SurvivesInterruptionsAndIsOverOnce) {
  const std::uint64_t end = train(folder_ / "whole", 1000);
  for (std::uint64_t stop = 3; stop < end; stop += 7) EXPECT_EQ(train(folder_ / "parts", stop), stop);
  EXPECT_EQ(train(folder_ / "parts", 1000), end);
  EXPECT_EQ(read_text(RunFolder(folder_ / "whole").last()), read_text(RunFolder(folder_ / "parts").last()));
  EXPECT_EQ(read_text(RunFolder(folder_ / "whole").best()), read_text(RunFolder(folder_ / "parts").best()));
  EXPECT_EQ(train(folder_ / "parts", 1000), end);  // nothing is left to do
  EXPECT_TRUE(is_complete_);
  settings_.patience = 6;
  EXPECT_GT(train(folder_ / "parts", 1000), end);
}

TEST_F(PatienceTest, TheBestStepIsKeptInMemoryWithoutAFolder) {
  train(folder_ / "a", 1000);
  Experiment in_folder = make(), in_memory = make();
  restore_model(Checkpoint::read(RunFolder(folder_ / "a").best()), *in_folder.model);
  Trainer trainer(in_memory, {.settings = settings_, .config = ""}, threads_);
  EXPECT_TRUE(trainer.run(nullptr, {}));
  trainer.go_to_best_in_memory();
  EXPECT_EQ(trainer.best_step(), Checkpoint::read(RunFolder(folder_ / "a").best()).header().step);
  for (std::size_t g = 0; g < in_folder.model->neurons().size(); ++g) {
    const Matrix<float>&expected = in_folder.model->neurons()[g]->logits,
          &actual = in_memory.model->neurons()[g]->logits;
    for (std::size_t i = 0; i < expected.rows(); ++i) EXPECT_TRUE(std::ranges::equal(expected[i], actual[i]));
  }
}

TEST_F(PatienceTest, WithoutItTheBestIsByAccuracyAndTiesGoToTheLaterStep) {
  settings_.patience = 0;
  settings_.steps = 60;
  settings_.eval_every = 1;  // validation accuracies of 50 examples: ties are certain
  EXPECT_EQ(train(folder_ / "a", 1000), 60u);
  double largest = -1;
  std::uint64_t best = 0;
  std::size_t ties = 0;
  for (const Evaluated& e : evaluations(folder_ / "a")) {
    ties += e.accuracy == largest;
    if (e.accuracy >= largest) best = e.step, largest = e.accuracy;
  }
  EXPECT_GT(ties, 0u);
  EXPECT_EQ(Checkpoint::read(RunFolder(folder_ / "a").best()).header().step, best);
}

}  // namespace
}  // namespace firn
