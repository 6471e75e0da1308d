#include "firn/train/step.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "firn/train/optimizer.h"
#include "tests/reference/training.h"
#include "tests/support/each_target.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

std::vector<float> all_logits(const Model& model) {
  std::vector<float> all;
  for (const Neurons* group : model.neurons())
    all.insert(all.end(), group->logits.data(), group->logits.data() + group->count() * kSlots);
  return all;
}

// Scores of the neurons that train.
std::vector<float> all_scores(const Model& model, const BatchStep& step) {
  std::vector<float> all;
  for (std::size_t g = 0; g < model.neurons().size(); ++g)
    for (std::size_t i = 0; i < model.neurons()[g]->count(); ++i)
      if (model.neurons()[g]->frozen[i] == kNotFrozen)
        all.insert(all.end(), step.scores()[g][i].begin(), step.scores()[g][i].end());
  return all;
}

void freeze_groups(Model& model, std::size_t count) {
  for (std::size_t g = 0; g < count; ++g) freeze_to_argmax(*model.neurons()[g]);
}

void expect_scores_of_reference(Model& model, std::size_t batch_size, std::size_t shard, const WeightPlan& plan,
                                const std::string& what) {
  for (Neurons* group : model.neurons()) freeze_some(*group, 0.3, 2);
  const RandomBatch samples(model, batch_size, false, 3);
  RandomBatch batch = samples;
  Threads threads(2);
  reference::Training training(model, reference::kCrossEntropy, {});
  const double expected = training.evaluate(samples.samples(), samples.labels(), plan);
  BatchStep step(model, loss_from_name("cross-entropy"), 72, shard,
                 threads);  // the batch may be smaller than the room for it
  EXPECT_NEAR(step.run(batch, {plan}).loss / static_cast<double>(batch_size), expected, 1e-5) << what;
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    double largest = 0;
    for (double s : training.scores()[g]) largest = std::max(largest, std::abs(s));
    for (std::size_t i = 0; i < model.neurons()[g]->count(); ++i)
      for (std::size_t k = 0; k < kSlots && model.neurons()[g]->frozen[i] == kNotFrozen; ++k)
        ASSERT_NEAR(step.scores()[g][i][k], training.scores()[g][i * kSlots + k], 1e-4 * largest)
            << what << " batch " << batch_size << " shard " << shard << " group " << g;
  }
}

TEST(BatchStep, ScoresMatchTheReference) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const auto& [batch_size, shard] : {std::pair<std::size_t, std::size_t>{37, 16}, {40, 48}, {70, 32}, {16, 16}})
      for (const bool hard : {false, true}) {
        WeightPlan plan;
        plan.hard = hard;
        plan.backward_temperature = hard ? 1.5f : 1.f;
        expect_scores_of_reference(*family.make(1), batch_size, shard, plan, family.name);
      }
}

// More neurons than the blocks and chunks in which they are updated.
TEST(BatchStep, ScoresOfManyRowsMatchTheReference) {
  const auto model = model_of({random_dense("a", {40}, {1300}, 1), random_dense("b", {1300}, {1100}, 1),
                               random_slot_dense("c", {1100}, 1200, 1)},
                              head_of(3, 20.f));
  expect_scores_of_reference(*model, 16, 16, {}, "many rows");
}

std::vector<float> logits_after_training(const TinyFamily& family, int thread_count, std::size_t frozen_groups,
                                         std::size_t batch_size) {
  const auto model = family.make(5);
  freeze_groups(*model, frozen_groups);
  Threads threads(thread_count);
  BatchStep step(*model, loss_from_name("cross-entropy"), batch_size, 16, threads);
  const auto optimizer = make_optimizer(*model, {.weight_decay = 0.01, .clip = 0.1});
  LogitGradients gradients(*model);
  const std::vector<float> temperatures(model->neurons().size(), 1.f);
  for (std::uint64_t t = 0; t < 6; ++t) {
    RandomBatch batch(*model, batch_size, true, t);
    step.run(batch, {{}});
    gradients.assign(step.scores(), temperatures);
    optimizer->update(*model, gradients, /*learning_rate=*/0.05, threads);
  }
  return all_logits(*model);
}

TEST(BatchStep, ResultsDoNotDependOnTheNumberOfThreads) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const std::size_t frozen_groups : {0, 1, 2})
      for (const std::size_t batch_size : {20, 100}) {  // fewer shards than threads, and more
        const auto alone = logits_after_training(family, 1, frozen_groups, batch_size);
        EXPECT_EQ(logits_after_training(family, 2, frozen_groups, batch_size), alone)
            << family.name << " " << frozen_groups;
        EXPECT_EQ(logits_after_training(family, 8, frozen_groups, batch_size), alone)
            << family.name << " " << frozen_groups;
      }
}

// Rows move one by one as their scores become known, or all of them in the end. Some are frozen, and so is a layer.
TEST(BatchStep, RowsThatMoveAtOnceMoveAsInTheEnd) {
  for (const TinyFamily& family : kTinyFamilies) {
    std::vector<float> logits[2];
    for (const bool at_once : {false, true}) {
      const auto model = family.make(5);
      freeze_groups(*model, 1);
      for (Neurons* group : model->neurons()) freeze_some(*group, 0.3, 2);
      Threads threads(2);
      BatchStep step(*model, loss_from_name("cross-entropy"), 100, 16, threads);
      const auto optimizer = make_optimizer(*model, {.weight_decay = 0.01});
      LogitGradients gradients(*model);
      const std::vector<float> temperatures(model->neurons().size(), 1.f);
      for (std::uint64_t t = 0; t < 6; ++t) {
        RandomBatch batch(*model, 100, true, t);
        gradients.assign(step.scores(), temperatures);
        if (at_once) {
          optimizer->start(/*learning_rate=*/0.05);
          step.run(batch, {{}}, [&](const Model::RowBlock& r) { optimizer->move_rows(*model, gradients, r); });
          EXPECT_EQ(optimizer->finish(*model), nullptr);
        } else {
          step.run(batch, {{}});
          EXPECT_EQ(optimizer->update(*model, gradients, /*learning_rate=*/0.05, threads), nullptr);
        }
      }
      logits[at_once] = all_logits(*model);
    }
    EXPECT_EQ(logits[0], logits[1]) << family.name;
  }
}

// Layers that are frozen entirely run on bits when the input is binary; nothing may change by that, not one bit. Shards
// of 48 samples reach beyond the words of a batch of 100.
TEST(BatchStep, AFrozenPrefixOnBitsEqualsTheFloatPath) {
  each_target([](const char* target) {
    for (const TinyFamily& family : kTinyFamilies)
      for (const std::size_t shard : {16, 32, 48}) {
        const std::size_t groups = family.make(1)->neurons().size();
        for (std::size_t frozen = 1; frozen <= groups; ++frozen) {
          const std::string what = fmt::format("{} {} shard {} frozen {}", target, family.name, shard, frozen);
          const auto model = family.make(1);
          freeze_groups(*model, frozen);
          Threads threads(2);
          RandomBatch batch(*model, 100, true, frozen);
          BatchStep on_bits(*model, loss_from_name("cross-entropy"), 100, shard, threads),
              on_floats(*model, loss_from_name("cross-entropy"), 100, shard, threads);
          const LossSum bits = on_bits.run(batch, {{}});
          batch.hide_that_it_is_binary();
          const LossSum floats = on_floats.run(batch, {{}});
          EXPECT_EQ(bits.loss, floats.loss) << what;
          EXPECT_EQ(bits.correct, floats.correct) << what;
          EXPECT_EQ(all_scores(*model, on_bits), all_scores(*model, on_floats)) << what;
        }
      }
  });
}

TEST(BatchStep, ThePrefixGrowsWhileTraining) {
  const auto model = tiny_compact_model(2), fresh = tiny_compact_model(2);
  Threads threads(2);
  RandomBatch batch(*model, 50, true, 1);
  BatchStep step(*model, loss_from_name("cross-entropy"), 50, 16, threads);
  for (std::size_t frozen = 0; frozen <= 3; ++frozen) {
    freeze_groups(*model, frozen);
    freeze_groups(*fresh, frozen);
    const double loss = step.run(batch, {{}}).loss;
    EXPECT_EQ(step.first_layer(), frozen);
    BatchStep fresh_step(*fresh, loss_from_name("cross-entropy"), 50, 16, threads);
    EXPECT_EQ(loss, fresh_step.run(batch, {{}}).loss);
    EXPECT_EQ(all_scores(*model, step), all_scores(*fresh, fresh_step));
  }
}

// Short batches after long ones: what is left of the long one in the rows must not count.
TEST(BatchStep, AShorterBatchForgetsTheLongerOne) {
  const auto model = tiny_tree_model(3);
  Threads threads(1);
  RandomBatch longer(*model, 64, false, 1), shorter(*model, 19, false, 2);
  BatchStep step(*model, loss_from_name("cross-entropy"), 64, 16, threads),
      fresh(*model, loss_from_name("cross-entropy"), 64, 16, threads);
  step.run(longer, {{}});
  EXPECT_EQ(step.run(shorter, {{}}).loss, fresh.run(shorter, {{}}).loss);
  EXPECT_EQ(all_scores(*model, step), all_scores(*model, fresh));
}

}  // namespace
}  // namespace firn
