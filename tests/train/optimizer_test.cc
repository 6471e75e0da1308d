#include "firn/train/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/random_models.h"

namespace firn {
namespace {

// Copies of all arrays of floats.
class Snapshot final : public StateVisitor {
 public:
  using StateVisitor::visit;
  void visit(const std::string& name, std::span<float> values) override {
    arrays[name].assign(values.begin(), values.end());
  }
  void visit(const std::string&, std::span<double>) override {}
  void visit(const std::string&, std::span<std::uint8_t>) override {}
  void visit(const std::string&, std::span<std::int8_t>) override {}
  void visit(const std::string&, std::span<std::uint32_t>) override {}
  void visit(const std::string& name, Matrix<float>& rows) override {
    for (std::size_t r = 0; r < rows.rows(); ++r)
      arrays[name].insert(arrays[name].end(), rows[r].begin(), rows[r].end());
  }
  void visit(const std::string&, std::span<std::uint64_t> values) override { updates = values[0]; }

  std::map<std::string, std::vector<float>> arrays;
  std::uint64_t updates = 0;
};

Snapshot snapshot(Optimizer& optimizer) {
  Snapshot s;
  optimizer.visit_state(s);
  return s;
}

std::vector<Matrix<float>> random_scores(const Model& model, std::uint64_t seed) {
  std::vector<Matrix<float>> scores;
  RandomSequence random(seed, "test/scores");
  for (const Neurons* group : model.neurons()) {
    scores.emplace_back(group->count(), kSlots);
    for (std::size_t i = 0; i < group->count(); ++i)
      for (float& s : scores.back()[i]) s = random.normal();
  }
  return scores;
}

class OptimizerTest : public testing::Test {
 protected:
  OptimizerTest() : model(tiny_dense_model(1)), temperatures(model->neurons().size(), 1.f), threads(2) {
    model->prepare({{}}, threads);
  }
  std::unique_ptr<Model> model;
  std::vector<float> temperatures;
  Threads threads;
};

TEST_F(OptimizerTest, FirstStepOfAdamMovesEveryLogitByTheLearningRate) {
  Optimizer optimizer(*model, {.learning_rate = 0.25});
  const auto scores = random_scores(*model, 1);
  const Matrix<float> before = model->neurons()[0]->logits;
  optimizer.update(*model, scores, temperatures, threads);
  for (std::size_t i = 0; i < before.rows(); ++i)
    for (std::size_t k = 0; k < kSlots; ++k) {
      const float expected = before[i][k] - (scores[0][i][k] > 0 ? 0.25f : -0.25f);
      EXPECT_NEAR(model->neurons()[0]->logits[i][k], expected, 1e-4f);
    }
  EXPECT_EQ(optimizer.updates(), 1u);
}

TEST_F(OptimizerTest, FrozenRowsKeepLogitsAndMoments) {
  Optimizer optimizer(*model, {.learning_rate = 0.1, .weight_decay = 0.5});
  optimizer.update(*model, random_scores(*model, 1), temperatures, threads);
  Neurons& group = *model->neurons()[1];
  group.frozen[3] = 6;
  const std::vector<float> logits(group.logits[3].begin(), group.logits[3].end());
  const Snapshot before = snapshot(optimizer);
  for (std::uint64_t t = 2; t < 5; ++t) optimizer.update(*model, random_scores(*model, t), temperatures, threads);
  const Snapshot after = snapshot(optimizer);
  EXPECT_TRUE(std::ranges::equal(group.logits[3], logits));
  for (const char* moment : {".first", ".second"}) {
    const auto &old_values = before.arrays.at("optimizer." + group.name + moment),
               &new_values = after.arrays.at("optimizer." + group.name + moment);
    for (std::size_t i = 0; i < old_values.size(); ++i) {
      if (i / kSlots == 3) {
        EXPECT_EQ(old_values[i], new_values[i]);
      } else {
        EXPECT_NE(old_values[i], new_values[i]);
      }
    }
  }
}

TEST_F(OptimizerTest, ClippingScalesTheGradientOfAllLayersTogether) {
  const auto scores = random_scores(*model, 1);
  temperatures[1] = 0.25f;
  model->neurons()[0]->frozen[2] = 1;  // does not count for the norm
  double squares = 0;
  for (std::size_t g = 0; g < scores.size(); ++g)
    for (std::size_t i = 0; i < scores[g].rows(); ++i)
      for (std::size_t k = 0; k < kSlots && model->neurons()[g]->frozen[i] == kNotFrozen; ++k)
        squares += std::pow(
            static_cast<double>(model->neurons()[g]->forward_weights[i][k]) * scores[g][i][k] / temperatures[g], 2);
  Optimizer free(*model, {}), loose(*model, {.clip = 2 * std::sqrt(squares)}),
      tight(*model, {.clip = 0.1 * std::sqrt(squares)});
  const auto first_moment = [&](Optimizer& optimizer) {
    optimizer.update(*model, scores, temperatures, threads);
    return snapshot(optimizer).arrays.at("optimizer." + model->neurons()[1]->name + ".first");
  };
  const auto whole = first_moment(free), same = first_moment(loose), tenth = first_moment(tight);
  EXPECT_EQ(whole, same);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(tenth[i], 0.1 * whole[i], 1e-6 * std::abs(whole[i]));
}

TEST_F(OptimizerTest, ResetForgetsOneRowButNotTheCount) {
  Optimizer optimizer(*model, {});
  for (std::uint64_t t = 1; t < 4; ++t) optimizer.update(*model, random_scores(*model, t), temperatures, threads);
  const Snapshot before = snapshot(optimizer);
  optimizer.reset_row(1, 5);
  const Snapshot after = snapshot(optimizer);
  EXPECT_EQ(after.updates, 3u);
  for (const auto& [name, values] : after.arrays)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool reset = name.find("." + model->neurons()[1]->name + ".") != std::string::npos && i / kSlots == 5;
      EXPECT_EQ(values[i], reset ? 0 : before.arrays.at(name)[i]) << name;
    }
}

}  // namespace
}  // namespace firn
