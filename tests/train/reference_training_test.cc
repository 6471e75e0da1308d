// Whole training runs in float against the same runs in double.
#include "tests/reference/training.h"

#include <gtest/gtest.h>

#include "firn/train/optimizer.h"
#include "firn/train/step.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

using reference::Training;

// The logit gradient q S / temperature is the derivative of the mean loss in the logit, by central differences.
TEST(ReferenceTraining, LogitGradientsAreDerivativesOfTheLoss) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const float temperature : {1.f, 0.5f}) {
      const auto model = family.make(2);
      for (Neurons* group : model->neurons()) freeze_some(*group, 0.3, 3);
      Training training(*model, reference::kCrossEntropy, {});
      const RandomBatch batch(*model, 3, false, 4);
      const auto samples = batch.samples();
      WeightPlan plan;
      plan.forward_temperature = plan.backward_temperature = temperature;
      training.evaluate(samples, batch.labels(), plan);
      const auto gradients = training.gradients();
      double largest = 0;
      for (const auto& group : gradients)
        for (double g : group) largest = std::max(largest, std::abs(g));
      for (std::size_t g = 0; g < gradients.size(); ++g)
        for (std::size_t i = 0; i < gradients[g].size(); i += 11) {
          if (model->neurons()[g]->frozen[i / kSlots] != kNotFrozen) continue;
          double& logit = training.logits()[g][i];
          const double kept = logit, step = 1e-5;
          logit = kept + step;
          const double high = training.evaluate(samples, batch.labels(), plan);
          logit = kept - step;
          const double low = training.evaluate(samples, batch.labels(), plan);
          logit = kept;
          EXPECT_NEAR(gradients[g][i], (high - low) / (2 * step),
                      1e-6 * std::max(std::abs(gradients[g][i]), 1e-2 * largest) + 1e-11)
              << family.name << " group " << g << " logit " << i;
        }
    }
}

struct Recipe {
  OptimizerSettings optimizer;
  WeightPlan plan;
  double frozen_share = 0;
};

// The largest difference of the mean losses of a float run and a double run over `steps` steps.
double largest_loss_difference(const TinyFamily& family, const Recipe& run, int steps) {
  const auto model = family.make(6);
  for (Neurons* group : model->neurons()) freeze_some(*group, run.frozen_share, 7);
  Training training(*model, reference::kCrossEntropy, run.optimizer);
  Threads threads(2);
  const auto optimizer = make_optimizer(*model, run.optimizer);
  LogitGradients gradients(*model);
  BatchStep step(*model, loss_from_name("cross-entropy"), 20, 16, threads);
  const std::vector<float> temperatures(model->neurons().size(), run.plan.backward_temperature);
  double largest = 0;
  for (int t = 0; t < steps; ++t) {
    RandomBatch batch(*model, 20, true, 100 + static_cast<std::uint64_t>(t) % 4);
    const double expected = training.step(batch.samples(), batch.labels(), run.plan);
    const double loss = step.run(batch, {run.plan}).loss / 20;
    gradients.assign(step.scores(), temperatures);
    optimizer->update(*model, gradients, run.optimizer.learning_rate, threads);
    largest = std::max(largest, std::abs(loss - expected));
  }
  return largest;
}

TEST(ReferenceTraining, FloatRunsFollowDoubleRuns) {
  Recipe adam, clipped_decay, tempered, mixed;
  clipped_decay.optimizer.weight_decay = 0.05;
  clipped_decay.optimizer.clip = 0.01;
  tempered.plan.forward_temperature = 0.5f;
  tempered.plan.backward_temperature = 2;
  mixed.frozen_share = 0.5;
  for (const TinyFamily& family : kTinyFamilies)
    for (const Recipe& run : {adam, clipped_decay, tempered, mixed})
      EXPECT_LT(largest_loss_difference(family, run, 50), 1e-4) << family.name;
}

}  // namespace
}  // namespace firn
