#include "firn/train/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/expect_error.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

  void update(Optimizer& optimizer, const std::vector<Matrix<float>>& scores, double learning_rate = 0.02) {
    LogitGradients gradients(*model);
    gradients.assign(scores, temperatures);
    optimizer.update(*model, gradients, learning_rate, threads);
  }

  std::unique_ptr<Model> model;
  std::vector<float> temperatures;
  Threads threads;
};

TEST_F(OptimizerTest, FirstStepOfAdamMovesEveryLogitByTheLearningRate) {
  const auto optimizer = make_optimizer(*model, {});
  const auto scores = random_scores(*model, 1);
  const Matrix<float> before = model->neurons()[0]->logits;
  update(*optimizer, scores, 0.25);
  for (std::size_t i = 0; i < before.rows(); ++i)
    for (std::size_t k = 0; k < kSlots; ++k) {
      const float expected = before[i][k] - (scores[0][i][k] > 0 ? 0.25f : -0.25f);
      EXPECT_NEAR(model->neurons()[0]->logits[i][k], expected, 1e-4f);
    }
  EXPECT_EQ(optimizer->updates(), 1u);
}

TEST_F(OptimizerTest, FrozenRowsKeepLogitsAndMoments) {
  const auto optimizer = make_optimizer(*model, {.weight_decay = 0.5});
  update(*optimizer, random_scores(*model, 1), 0.1);
  Neurons& group = *model->neurons()[1];
  group.frozen[3] = 6;
  const std::vector<float> logits(group.logits[3].begin(), group.logits[3].end());
  const Snapshot before = snapshot(*optimizer);
  for (std::uint64_t t = 2; t < 5; ++t) update(*optimizer, random_scores(*model, t), 0.1);
  const Snapshot after = snapshot(*optimizer);
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
  const auto first_moment = [&](double clip) {
    const auto optimizer = make_optimizer(*model, {.clip = clip});
    update(*optimizer, scores);
    return snapshot(*optimizer).arrays.at("optimizer." + model->neurons()[1]->name + ".first");
  };
  const auto whole = first_moment(0), same = first_moment(2 * std::sqrt(squares)),
             tenth = first_moment(0.1 * std::sqrt(squares));
  EXPECT_EQ(whole, same);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(tenth[i], 0.1 * whole[i], 1e-6 * std::abs(whole[i]));
}

TEST_F(OptimizerTest, ResetForgetsOneRowButNotTheCount) {
  for (const OptimizerEntry& entry : optimizers()) {
    const auto optimizer = entry.make(*model, {});
    for (std::uint64_t t = 1; t < 4; ++t) update(*optimizer, random_scores(*model, t));
    const Snapshot before = snapshot(*optimizer);
    optimizer->reset_row(1, 5);
    const Snapshot after = snapshot(*optimizer);
    EXPECT_EQ(after.updates, 3u);
    for (const auto& [name, values] : after.arrays)
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool reset = name.find("." + model->neurons()[1]->name + ".") != std::string::npos && i / kSlots == 5;
        EXPECT_EQ(values[i], reset ? 0 : before.arrays.at(name)[i]) << name;
      }
  }
}

TEST_F(OptimizerTest, AdamWithoutDecayIsAdamW) {
  auto other = tiny_dense_model(1);
  other->prepare({{}}, threads);
  const auto adam = make_optimizer(*model, {.name = "adam", .clip = 0.5}),
             adamw = make_optimizer(*other, {.clip = 0.5});
  LogitGradients gradients(*other);
  for (std::uint64_t t = 1; t < 5; ++t) {
    const auto scores = random_scores(*model, t);
    update(*adam, scores);
    gradients.assign(scores, temperatures);
    adamw->update(*other, gradients, 0.02, threads);
  }
  for (std::size_t g = 0; g < temperatures.size(); ++g)
    for (std::size_t i = 0; i < model->neurons()[g]->count(); ++i)
      EXPECT_TRUE(std::ranges::equal(model->neurons()[g]->logits[i], other->neurons()[g]->logits[i]));
  EXPECT_EQ(snapshot(*adam).arrays, snapshot(*adamw).arrays);
}

TEST_F(OptimizerTest, RefusesUnknownNamesAndDecayWithoutEffect) {
  EXPECT_THAT(error_of([&] { make_optimizer(*model, {.name = "adagrad"}); }),
              AllOf(HasSubstr("\"adagrad\""), HasSubstr("adamw, adam, sgd")));
  EXPECT_THAT(error_of([&] { make_optimizer(*model, {.name = "adam", .weight_decay = 0.002}); }),
              AllOf(HasSubstr("train.weight_decay = 0.002"), HasSubstr("\"adamw\"")));
}

TEST_F(OptimizerTest, StateHasTheNamesOfTheVariant) {
  const std::string group = "optimizer." + model->neurons()[0]->name;
  const auto has = [&](const char* name, const std::string& tensor) {
    return snapshot(*make_optimizer(*model, {.name = name})).arrays.contains(group + tensor);
  };
  for (const char* name : {"adam", "adamw"}) EXPECT_TRUE(has(name, ".first") && has(name, ".second")) << name;
  EXPECT_TRUE(has("sgd", ".velocity"));
}

// A variant from outside: it needs the interface and no more, and sees gradients, whatever they are made of.
class SignDescent final : public Optimizer {
 public:
  explicit SignDescent(const Model& model) : Optimizer(model, {.clip = 1e-3}, {"last"}) {}

 private:
  void begin(std::uint64_t, double learning_rate) override { rate_ = static_cast<float>(learning_rate); }
  bool move(const Block& block) override {
    float* gradient = memory(0, block);
    write_gradient(block.rows, block.gradient, gradient);
    for (std::size_t i = 0; i < block.rows * kSlots; ++i)
      block.logits[i] -= gradient[i] == 0 ? 0 : std::copysign(rate_, gradient[i]);
    return true;
  }

  float rate_ = 0;
};

TEST_F(OptimizerTest, AVariantOfOnesOwnSeesClippedGradients) {
  SignDescent optimizer(*model);
  const auto scores = random_scores(*model, 1);
  temperatures[1] = 0.25f;
  Neurons& group = *model->neurons()[1];
  group.frozen[2] = 7;
  const Matrix<float> before = group.logits;
  update(optimizer, scores, 0.5);
  double squares = 0;
  for (const auto& [name, gradient] : snapshot(optimizer).arrays)
    for (float g : gradient) squares += static_cast<double>(g) * g;
  EXPECT_NEAR(std::sqrt(squares), 1e-3, 1e-6);
  for (std::size_t i = 0; i < before.rows(); ++i)
    for (std::size_t k = 0; k < kSlots; ++k)
      EXPECT_EQ(group.logits[i][k], before[i][k] - (i == 2 ? 0.f : std::copysign(0.5f, scores[1][i][k])));
}

}  // namespace
}  // namespace firn
