#include "firn/train/area.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/model/build.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

float area(std::string_view target, Gate gate) {
  return find_area_target(target).areas[static_cast<std::size_t>(gate)];
}

TEST(AreaTargets, ChargeNothingForConstantsAndWires) {
  for (const AreaTarget& target : area_targets())
    for (const Gate gate : {Gate::kFalse, Gate::kTrue, Gate::kA, Gate::kB}) EXPECT_EQ(area(target.name, gate), 0);
}

TEST(AreaTargets, PriceTheOtherGates) {
  EXPECT_EQ(area("and", Gate::kXor), 3);
  EXPECT_EQ(area("and", Gate::kOrNot), 1);
  EXPECT_EQ(area("and", Gate::kNotA), 0);
  EXPECT_EQ(area("gate", Gate::kXnor), 1);
  EXPECT_EQ(area("nand", Gate::kNand), 1);
  EXPECT_FLOAT_EQ(area("nand", Gate::kNotB), 16.f / 24);
  EXPECT_FLOAT_EQ(area("nand", Gate::kAndNot), 40.f / 24);
}

TEST(AreaTargets, UnknownOnesAreRefusedByName) {
  try {
    find_area_target("lut");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("and, gate"));
  }
}

// A model of convolutions and dense layers, or of neurons with slots of their own, with random logits.
std::unique_ptr<Model> random_model(const std::string& family, Threads& threads) {
  std::unique_ptr<Model> model = build_model({.family = family, .width = 2}, {3, 32, 32}, 10, 1);
  RandomSequence random(5, "test/area");
  for (Neurons* neurons : model->neurons()) initialize_gaussian(*neurons, random);
  model->prepare(std::vector<WeightPlan>(model->neurons().size()), threads);
  return model;
}

void bring_scores(AreaPrice& area, const Model& model, std::vector<Matrix<float>>& scores) {
  for (const Model::RowBlock& rows : model.row_blocks())
    area.before_update({model, rows, scores[rows.group].row(rows.first)});
}

// The gradient of the price in a logit is weight times score, as for the loss of the examples.
void compare_with_differences(const std::string& family) {
  Threads threads(1);
  const std::unique_ptr<Model> model = random_model(family, threads);
  AreaPrice area(*model, {.weight = 1000, .target = "and"});
  std::vector<Matrix<float>> scores;
  for (const Neurons* neurons : std::as_const(*model).neurons()) scores.emplace_back(neurons->count(), kSlots);
  bring_scores(area, *model, scores);
  const std::vector<WeightPlan> plans(model->neurons().size());
  std::size_t group = 0;
  for (Neurons* neurons : model->neurons()) {
    for (const std::size_t slot : {std::size_t{0}, std::size_t{6}, std::size_t{7}}) {
      const double gradient = neurons->gradient_weights()[0][slot] * scores[group][0][slot];
      float& logit = neurons->logits[0][slot];
      const float kept = logit, step = 0.25f;
      logit = kept + step;
      model->prepare(plans, threads);
      const double above = area.price(*model);
      logit = kept - step;
      model->prepare(plans, threads);
      const double below = area.price(*model);
      logit = kept;
      model->prepare(plans, threads);
      EXPECT_NEAR((above - below) / (2 * step), gradient, 0.05 * std::abs(gradient) + 1e-5) << neurons->name << slot;
    }
    ++group;
  }
}

TEST(AreaPrice, ScoresAreItsDerivativesForTrees) {
  compare_with_differences("treelogicnet");
}

TEST(AreaPrice, ScoresAreItsDerivativesWhereSlotsHaveGatesOfTheirOwn) {
  compare_with_differences("compact");
}

TEST(AreaPrice, IsTheMeanOverAllPlacements) {
  Threads threads(1);
  const std::unique_ptr<Model> model = build_model({.family = "treelogicnet", .width = 2}, {3, 32, 32}, 10, 1);
  for (Neurons* neurons : model->neurons()) {
    neurons->logits = Matrix<float>(neurons->count(), kSlots);
    for (std::size_t i = 0; i < neurons->count(); ++i) neurons->logits[i][static_cast<std::size_t>(Gate::kXor)] = 100;
  }
  model->prepare(std::vector<WeightPlan>(model->neurons().size()), threads);
  EXPECT_NEAR(AreaPrice(*model, {.weight = 0.5, .target = "and"}).price(*model), 1.5, 1e-4);
}

TEST(AreaPrice, LeavesFrozenNeuronsAlone) {
  Threads threads(1);
  const std::unique_ptr<Model> model = random_model("treelogicnet", threads);
  model->neurons()[0]->frozen[1] = 3;
  model->prepare(std::vector<WeightPlan>(model->neurons().size()), threads);
  std::vector<Matrix<float>> scores;
  for (const Neurons* neurons : std::as_const(*model).neurons()) scores.emplace_back(neurons->count(), kSlots);
  AreaPrice area(*model, {.weight = 1, .target = "gate"});
  bring_scores(area, *model, scores);
  for (const float score : scores[0][1]) EXPECT_EQ(score, 0);
  EXPECT_NE(scores[0][0][0], 0);
}

}  // namespace
}  // namespace firn
