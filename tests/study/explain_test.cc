#include "firn/study/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

EffectSummary effects(double entropy, double score) {
  EffectSummary all;
  all.layer = "all";
  all.neurons = 100;
  all.entropy = {entropy, entropy - 0.1, entropy + 0.1};
  all.argmax = {score, score - 0.1, score + 0.1};
  all.same_sign = 0.9;
  all.improvable = 0.25;
  return all;
}

TEST(ExplainTest, EffectsNameTheBetterGuide) {
  EXPECT_THAT(
      explain_effects({effects(0.05, 0.8)}),
      AllOf(HasSubstr("loss well (+0.80; the sign is right for 90 %)"), HasSubstr("entropy hardly does (+0.05)"),
            HasSubstr("For 25 % of the neurons, freezing that neuron alone"), HasSubstr("such as task")));
  EXPECT_THAT(explain_effects({effects(0.8, 0.1)}),
              HasSubstr("Scores hardly predict what that does to the loss (+0.10;"));
  EXPECT_THAT(explain_effects({effects(0.8, 0.3)}), HasSubstr("entropy says more than scores"));
  EXPECT_THAT(explain_effects({effects(-0.8, 0.3)}), HasSubstr("entropy says more than scores"));
  EXPECT_THAT(explain_effects({effects(0.4, 0.5)}), HasSubstr("intervals overlap"));
  EXPECT_THAT(explain_effects({effects(0.05, -0.8)}), Not(HasSubstr("such as task")));
  EffectSummary constant = effects(0, 0.5);
  constant.entropy = {};
  EXPECT_THAT(explain_effects({constant}), HasSubstr("too little variation"));
  EXPECT_EQ(explain_effects({}), "");
}

TEST(ExplainTest, GapsAreLossesOrGains) {
  LayeredGaps gaps;
  gaps.samples = 5000;
  gaps.whole = {{0.5, 0.90}, {0.5, 0.90}, {0.6, 0.85}};
  gaps.layers = {{.layer = "fc1", .neurons = 100, .discrete = {0.52, 0.9}, .constants = 10, .wires = 15},
                 {.layer = "fc2", .neurons = 100, .discrete = {0.58, 0.9}}};
  EXPECT_THAT(explain_gaps(gaps), AllOf(HasSubstr("loses 5.00 points"), HasSubstr("0.1000 higher"),
                                        HasSubstr("fc2 costs most (loss +0.0800)"), HasSubstr("refine the circuit"),
                                        HasSubstr("12 % of the gates")));
  gaps.whole.discrete = {0.45, 0.92};
  EXPECT_THAT(explain_gaps(gaps),
              AllOf(HasSubstr("gains 2.00 points"), HasSubstr("0.0500 lower"), Not(HasSubstr("refine"))));
  gaps.samples = 200;
  gaps.whole.discrete = {0.6, 0.85};
  EXPECT_THAT(explain_gaps(gaps), AllOf(HasSubstr("loses 5.00 points"), HasSubstr("too close to call with 200 samples"),
                                        Not(HasSubstr("costs most")), Not(HasSubstr("What follows"))));
  gaps.whole.discrete = gaps.whole.relaxed;
  EXPECT_THAT(explain_gaps(gaps), HasSubstr("as accurate as the relaxed network, and its loss is the same"));
}

TEST(ExplainTest, GapsOfValuesHaveNoAccuracy) {
  LayeredGaps gaps;
  gaps.samples = 100;
  gaps.whole = {{0.5, 0, 0.9}, {0.5, 0, 0.9}, {0.6, 0, 0.8}};
  EXPECT_THAT(explain_gaps(gaps), AllOf(HasSubstr("is 0.1000 higher than"), Not(HasSubstr("accura"))));
}

TEST(ExplainTest, HeldOutSelectionIsJudgedOnTheOtherHalf) {
  HeldOut held_out;
  held_out.rates = {{0.5, 10, {1, 1}, {1, 1}}, {1, 200, {0.9, 0.9}, {0.3, 0.4}}};
  EXPECT_THAT(explain_held_out(held_out, "rows"),
              AllOf(HasSubstr("90 % of the occasions for the rows"), HasSubstr("35 % for others"),
                    HasSubstr("keep the argmax slots")));
  held_out.rates[1].other = {0.7, 0.7};
  EXPECT_THAT(explain_held_out(held_out, "images"), HasSubstr("beats argmax"));
  held_out.rates[1].choices = 20;
  held_out.rates[1].other = {0.6, 0.7};
  EXPECT_THAT(explain_held_out(held_out, "images"), AllOf(HasSubstr("too close to call"), Not(HasSubstr("follows"))));
  held_out.rates[1] = {1, 10000, {0.9, 0.9}, {0.5, 0.52}};
  EXPECT_THAT(explain_held_out(held_out, "images"), HasSubstr("about as good as argmax"));
  held_out.rates[1].choices = 0;
  EXPECT_THAT(explain_held_out(held_out, "images"), HasSubstr("nothing to choose"));
}

TEST(ExplainTest, ShocksAreComparedWithNoise) {
  ShockDiagnosis shocks;
  shocks.summaries = {{.layer = "all", .neurons = 100, .ratio = {-0.4, -0.1, 0.1}}};
  FrozenShares& measured = shocks.summaries[0].frozen.measured;
  measured.mean[0] = 0.36;
  shocks.summaries[0].frozen.centred.mean[0] = 0.29;
  EXPECT_THAT(explain_shocks(shocks),
              AllOf(HasSubstr("-0.10 times its deviation"), HasSubstr("little better than a coin toss")));
  measured.mean[0] = 0.02;
  EXPECT_THAT(explain_shocks(shocks), HasSubstr("decides by more than noise")) << "few is as telling as many";
  shocks.rule.score = "every-step";
  EXPECT_THAT(explain_shocks(shocks), Not(HasSubstr("every-step"))) << "it does so already";
}

TEST(ExplainTest, LocalityAndFlips) {
  Locality locality;
  locality.summaries = {{"all", 50, 0.65, 0.5, 1e-3, 2e-4, {}}};
  EXPECT_THAT(explain_locality(locality),
              AllOf(HasSubstr("fairly here (rank correlation +0.65)"), HasSubstr("less those of distant ones"),
                    HasSubstr("lowers the median error, from 0.001 to 0.0002")));
  locality.summaries[0].first_rank = 0.05;
  locality.summaries[0].second_error = 2e-3;
  EXPECT_THAT(explain_locality(locality), AllOf(HasSubstr("about as good"), HasSubstr("does not lower")));
  DiscreteDiagnosis discrete;
  LayerFlips all;
  all.layer = "all";
  all.flips = 1000;
  all.without_effect = 500;
  all.significant = {100, 90};
  discrete.summaries = {all};
  EXPECT_THAT(explain_flips(discrete, "rows"), AllOf(HasSubstr("Of 500 changes"), HasSubstr("20.0 %"),
                                                     HasSubstr("90 % of those"), HasSubstr("refinement looks for")));
  discrete.summaries[0].significant = {5, 5};
  EXPECT_THAT(explain_flips(discrete, "rows"), HasSubstr("close to a local optimum"));
}

}  // namespace
}  // namespace firn
