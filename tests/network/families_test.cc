#include "firn/network/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "firn/model/build.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

struct Totals {
  std::size_t neurons = 0, forward = 0, backward = 0, conv_forward = 0;
};

Totals totals(const Model& model) {
  Totals sum;
  for (std::size_t i = 0; i < model.layer_count(); ++i) {
    const Layer& layer = model.layer(i);
    for (const Neurons* group : layer.neurons()) sum.neurons += group->count();
    sum.forward += layer.forward_applications();
    sum.backward += layer.backward_applications();
    if (layer.parts()[0].is_convolution) sum.conv_forward += layer.forward_applications();
  }
  return sum;
}

TEST(Families, TreeLogicNetSHasThePublishedTotals) {
  ModelSettings settings;
  settings.tau = 20;
  const auto model = build_model(settings, {9, 32, 32}, 10, 1);
  const Totals sum = totals(*model);
  EXPECT_EQ(sum.neurons, 83552u);
  EXPECT_EQ(model->parameters(), 83552u * 16);
  EXPECT_EQ(sum.forward, 874496u);
  EXPECT_EQ(sum.conv_forward, 802816u);
  EXPECT_EQ(sum.forward - sum.conv_forward, 71680u);
  EXPECT_EQ(sum.backward, 272384u);
  ASSERT_EQ(model->layer_count(), 5u);  // four blocks, and the dense layers as one stack of trees
  const Shape shapes[] = {{32, 16, 16}, {128, 8, 8}, {512, 4, 4}, {1024, 2, 2}, {10240, 1, 1}};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(model->layer(i).output().shape, shapes[i]);
  EXPECT_EQ(model->layer(4).neurons().size(), 3u);
}

TEST(Families, TreeLogicNetForMnist) {
  ModelSettings settings;
  settings.width = 16;
  settings.head_multiplier = 2;
  const auto model = build_model(settings, {1, 28, 28}, 10, 1);
  const Totals sum = totals(*model);
  EXPECT_EQ(sum.conv_forward, 149184u);
  EXPECT_EQ(sum.forward - sum.conv_forward, 71680u);
  EXPECT_EQ(model->layer(0).output().shape, (Shape{16, 12, 12}));
  EXPECT_EQ(model->layer(2).output().shape, (Shape{144, 3, 3}));
}

TEST(Families, CompactSHasThePublishedTotals) {
  ModelSettings settings;
  settings.family = "compact";
  settings.width = 128;
  const auto model = build_model(settings, {9, 32, 32}, 10, 1);
  std::size_t gates = 0;
  for (std::size_t i = 0; i < model->layer_count(); ++i) gates += model->layer(i).output().shape.size();
  EXPECT_EQ(gates, 291072u);
  EXPECT_EQ(model->parameters(), 161280u * 16);  // 2.58 million
  const Shape shapes[] = {{128, 16, 16}, {128, 16, 16}, {512, 8, 8}, {512, 8, 8}, {80000, 1, 1}, {80000, 1, 1}};
  ASSERT_EQ(model->layer_count(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(model->layer(i).output().shape, shapes[i]);
}

TEST(Families, EqualSeedsGiveEqualModels) {
  for (const auto family : model_families()) {
    if (family == "list") continue;
    ModelSettings settings;
    settings.family = family;
    settings.width = family == "dense" ? 1000 : 2;
    settings.layers = 2;
    settings.init = "gaussian";
    const auto logits = [&](std::uint64_t seed) {
      std::vector<float> all;
      const auto model = build_model(settings, {1, 32, 32}, 10, seed);
      for (const Neurons* group : model->neurons())
        all.insert(all.end(), group->logits.data(), group->logits.data() + group->count() * kSlots);
      return all;
    };
    EXPECT_EQ(logits(1), logits(1)) << family;
    EXPECT_NE(logits(1), logits(2)) << family;
  }
}

TEST(Families, WrongNamesAreRefused) {
  ModelSettings settings;
  settings.family = "mlp";
  EXPECT_EQ(error_of([&] {
              build_model(settings, {1, 32, 32}, 10, 1);
            }),
            "there is no model family \"mlp\"; choose treelogicnet, compact, dense, list");
}

TEST(Families, TheTemperatureOfTheHeadIsANumberAbove0) {
  for (const double tau : {-1.0, 1e-45, 1e50, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(error_of([&] { check_settings(ModelSettings{.tau = tau}); }), HasSubstr("choose a number above 0"))
        << tau;
  EXPECT_NO_THROW(check_settings(ModelSettings{.tau = 0}));
  EXPECT_NO_THROW(check_settings(ModelSettings{.tau = 0.01}));
}

}  // namespace
}  // namespace firn
