// Whole training steps, evaluations and runs over ranks, which are threads here, against a process alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/train/evaluate.h"
#include "firn/train/rank_agreement.h"
#include "firn/train/trainer.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thread_ranks.h"

namespace firn {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kSizes[] = {2, 3, 4, 8};

// Logits after a few steps of one family, of whose groups the first ones are frozen: those run on bits.
std::vector<float> trained_logits(const TinyFamily& family, std::size_t frozen_groups, std::size_t batch_size,
                                  Ranks& ranks) {
  const auto model = family.make(5);
  for (std::size_t g = 0; g < frozen_groups; ++g) freeze_to_argmax(*model->neurons()[g]);
  Threads threads(1);
  BatchStep step(*model, loss_from_name("cross-entropy"), batch_size, 16, threads, ranks);
  const auto optimizer = make_optimizer(*model, {.clip = 0.1});
  LogitGradients gradients(*model);
  const std::vector<float> temperatures(model->neurons().size(), 1.f);
  std::vector<float> all;
  for (std::uint64_t t = 0; t < 4; ++t) {
    RandomBatch batch(*model, batch_size - t, true, t);  // which may be smaller than the room for it
    all.push_back(static_cast<float>(step.run(batch, {{}}).loss));
    gradients.assign(step.scores(), temperatures);
    optimizer->update(*model, gradients, /*learning_rate=*/0.05, threads);
    for (Neurons* group : model->neurons()) freeze_some(*group, 0.1, t);
  }
  for (const Neurons* group : std::as_const(*model).neurons())
    all.insert(all.end(), group->logits.data(), group->logits.data() + group->count() * kSlots);
  return all;
}

TEST(RankTraining, StepsHaveTheSameBitsOnAnyNumberOfRanks) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const std::size_t frozen_groups : {0, 1})
      for (const std::size_t batch_size : {20, 100}) {
        const std::vector<float> alone = trained_logits(family, frozen_groups, batch_size, one_rank());
        for (const int size : kSizes)
          on_thread_ranks(size, [&](Ranks& ranks) {
            EXPECT_EQ(trained_logits(family, frozen_groups, batch_size, ranks), alone)
                << family.name << ", batch " << batch_size << " on " << size << " ranks";
          });
      }
}

class RankRun : public ::testing::Test {
 protected:
  RankRun() {
    settings_.steps = 30;
    settings_.batch = 80;
    settings_.shard = 16;
    settings_.eval_every = 10;
  }

  Experiment make() const {
    ExperimentSettings experiment;
    experiment.data.source = "parity";
    experiment.data.synthetic.inputs = 8;
    experiment.data.synthetic.examples = 700;
    experiment.encode.encoding = "passthrough";
    experiment.model = {.family = "dense", .width = 32, .layers = 2};
    return make_experiment(experiment, settings_.loss);
  }

  Trainer::Setup setup() const { return {.settings = settings_, .config = "the configuration"}; }

  TrainSettings settings_;
};

TEST_F(RankRun, EvaluationsHaveTheSameBitsOnAnyNumberOfRanks) {
  const auto evaluate = [&](EvaluationMode mode, Ranks& ranks) {
    const Experiment experiment = make();
    Threads threads(1);
    Evaluator evaluator(*experiment.model, experiment.encoder, experiment.loss, 1, 2, threads, ranks);
    return evaluator.run(experiment.data.train, experiment.split.train, mode, /*with_auc=*/true);
  };
  for (const EvaluationMode mode : {EvaluationMode::kRelaxed, EvaluationMode::kDiscrete}) {
    const Evaluation alone = evaluate(mode, one_rank());
    for (const int size : kSizes)
      on_thread_ranks(size, [&](Ranks& ranks) {
        const Evaluation shared = evaluate(mode, ranks);
        EXPECT_EQ(shared.sum.loss, alone.sum.loss) << size;
        EXPECT_EQ(shared.sum.correct, alone.sum.correct) << size;
        EXPECT_EQ(shared.count, alone.count) << size;
        EXPECT_EQ(shared.confusion, alone.confusion) << size;
        EXPECT_EQ(shared.auc, alone.auc) << size;
      });
  }
}

TEST_F(RankRun, OneRankThatIsCancelledCancelsAll) {
  on_thread_ranks(3, [&](Ranks& ranks) {
    Experiment experiment = make();
    Threads threads(1);
    Trainer trainer(experiment, setup(), threads, ranks);
    TrainObserver observer;
    observer.cancelled = [&] { return ranks.rank() == 2 && trainer.step() == 7; };
    EXPECT_FALSE(trainer.run(nullptr, observer));
    EXPECT_EQ(trainer.step(), 7u);
  });
}

TEST_F(RankRun, ARankWhoseLogitsDifferIsNamed) {
  const auto failures = failures_on_ranks(3, [&](Ranks& ranks) {
    Experiment experiment = make();
    Threads threads(1);
    Trainer trainer(experiment, setup(), threads, ranks);
    TrainObserver observer;
    observer.on_step = [&](std::uint64_t step, double, std::optional<double>) {
      if (ranks.rank() == 1 && step == 13) experiment.model->neurons()[1]->logits[5][3] += 1e-6f;
    };
    trainer.run(nullptr, observer);
  });
  EXPECT_THAT(failures, Each(HasSubstr("the logits of rank 1 differ from those of the other ranks after step 20")));
}

TEST_F(RankRun, RanksThatDifferInWhatDecidesBitsAreNamed) {
  const auto failures = failures_on_ranks(
      3, [&](Ranks& ranks) { check_same_ground(ranks.rank() == 2 ? "another" : "the usual", {}, ranks); });
  EXPECT_THAT(failures, Each(HasSubstr("rank 2 has another configuration than rank 0")));
  const auto other_data = failures_on_ranks(2, [&](Ranks& ranks) {
    check_same_ground("the usual", {.train = "", .test = ranks.rank() == 1 ? "a" : "b"}, ranks);
  });
  EXPECT_THAT(other_data, Each(HasSubstr("rank 1 has other test examples than rank 0")));
  const auto teachers = failures_on_ranks(3, [&](Ranks& ranks) {
    check_same_ground("a", {"b", "c"}, ranks, ranks.rank() == 1 ? "wise" : "usual");
  });
  EXPECT_THAT(teachers, Each(HasSubstr("rank 1 has another teacher than rank 0")));
  EXPECT_THAT(failures_on_ranks(4, [&](Ranks& ranks) { check_same_ground("a", {"b", "c"}, ranks); }), Each(""));
}

TEST_F(RankRun, OnlyTheFirstRankNeedsToSeeACheckpoint) {
  const TemporaryFolder folder;
  const RunFolder run(folder / "run");
  std::filesystem::create_directories(run.path());
  Experiment experiment = make();
  Threads threads(1);
  Trainer trainer(experiment, setup(), threads);
  trainer.run(&run, {});
  on_thread_ranks(3, [&](Ranks& ranks) {
    const auto file = ranks.is_first() ? run.last() : std::filesystem::path("nowhere.safetensors");
    EXPECT_EQ(read_for_all(file, ranks).header().step, 30u);
    EXPECT_THAT(error_of([&] { read_for_all("nowhere.safetensors", ranks); }), HasSubstr("nowhere.safetensors"));
  });
}

}  // namespace
}  // namespace firn
