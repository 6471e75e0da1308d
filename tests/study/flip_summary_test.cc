#include "firn/study/flip_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace firn {
namespace {

// An effect on two images: mean m, standard error e.
Effect effect(double m, double e) {
  return {2 * m, 2 * (m * m + e * e), 2};
}

DiscreteFlip flip(std::size_t layer, std::size_t neuron, std::size_t row, const Effect& fitting, double held_out) {
  return {.layer = layer, .neuron = neuron, .row = row, .fitting = fitting, .held_out = effect(held_out, 0.001)};
}

// Two gates in the first layer, one in the last; a layer without gates between them.
class FlipSummaryTest : public ::testing::Test {
 protected:
  FlipSummaryTest() {
    flips_ = {flip(0, 0, 0, effect(-0.3, 0.1), -0.2),   // significant, holds
              flip(0, 0, 1, effect(-0.3, 0.1), 0.1),    // significant, does not hold
              flip(0, 0, 2, effect(-0.1, 0.1), -0.1),   // lower, not significant, holds
              flip(0, 0, 3, {0, 0, 2}, 0.0),            // without effect
              flip(0, 1, 0, effect(0.1, 0.1), -0.3),    //
              flip(0, 1, 1, effect(0.2, 0.1), 0.2),     //
              flip(0, 1, 2, effect(0.3, 0.1), 0.3),     //
              flip(0, 1, 3, effect(1e-7, 1e-7), 1e-7),  //
              flip(2, 0, 0, effect(-2, 0.5), -2),       // significant, holds
              flip(2, 0, 1, effect(-1e-13, 0), -1),     // rounding
              flip(2, 0, 2, effect(3, 0.5), 1),         //
              flip(2, 0, 3, effect(0.01, 0.5), -0.5)};  //
    for (std::size_t i = 8; i < 12; ++i) flips_[i].score = flips_[i].fitting.mean();
    flips_[8].relaxed_effect = 1;
    flips_[10].relaxed_effect = -1;
    for (std::size_t i = 4; i < 8; ++i) flips_[i].entropy = 0.5;
  }

  std::vector<DiscreteFlip> flips_;
  std::vector<std::string> names_ = {"conv", "pool", "fc"};
};

TEST_F(FlipSummaryTest, CountsWhatWouldLowerTheLoss) {
  EXPECT_NEAR(flips_[0].fitting.mean(), -0.3, 1e-12);
  EXPECT_NEAR(flips_[0].fitting.error(), 0.1, 1e-12);
  const std::vector<LayerFlips> layers = summarize_flips(flips_, names_);
  ASSERT_EQ(layers.size(), 3u);
  const LayerFlips &conv = layers[0], &fc = layers[1], &all = layers[2];
  EXPECT_EQ(conv.layer, "conv");
  EXPECT_EQ(fc.layer, "fc");
  EXPECT_EQ(all.layer, "all");
  EXPECT_EQ(conv.gates, 2u);
  EXPECT_EQ(conv.flips, 8u);
  EXPECT_EQ(conv.without_effect, 1u);
  EXPECT_EQ(conv.lower.flips, 3u);
  EXPECT_EQ(conv.lower.also_held_out, 2u);
  EXPECT_EQ(conv.significant.flips, 2u);
  EXPECT_EQ(conv.significant.also_held_out, 1u);
  EXPECT_EQ(conv.significant_gates, 1u);
  EXPECT_EQ(fc.lower.flips, 1u);
  EXPECT_EQ(fc.significant.flips, 1u);
  EXPECT_EQ(all.gates, 3u);
  EXPECT_EQ(all.flips, 12u);
  EXPECT_EQ(all.significant.flips, 3u);
  EXPECT_EQ(all.significant.also_held_out, 2u);
  EXPECT_EQ(all.significant_gates, 2u) << "gates of different layers may have the same number";
}

TEST_F(FlipSummaryTest, QuantilesAndHistogramsAreOfTheEffects) {
  const std::vector<LayerFlips> layers = summarize_flips(flips_, names_);
  const LayerFlips& conv = layers[0];
  EXPECT_NEAR(*conv.fitting.front(), -0.3, 1e-12);
  EXPECT_NEAR(*conv.fitting[4], 0.5e-7, 1e-12) << "median of -.3 -.3 -.1 0 1e-7 .1 .2 .3";
  EXPECT_NEAR(*conv.fitting.back(), 0.3, 1e-12);
  const std::vector<double> edges = flip_bin_edges();
  ASSERT_EQ(edges.size(), 26u);
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  EXPECT_DOUBLE_EQ(edges[12], -1e-6);
  EXPECT_DOUBLE_EQ(edges[13], 1e-6);
  for (std::size_t i = 0; i < edges.size(); ++i) EXPECT_EQ(edges[i], -edges[edges.size() - 1 - i]);
  for (const LayerFlips& layer : layers) {
    ASSERT_EQ(layer.fitting_histogram.size(), 25u);
    EXPECT_EQ(std::accumulate(layer.fitting_histogram.begin(), layer.fitting_histogram.end(), std::size_t{0}),
              layer.flips);
  }
  EXPECT_EQ(conv.fitting_histogram[12], 2u) << "zero and almost zero";
  EXPECT_EQ(conv.fitting_histogram[1], 2u) << "-.3 lies between -10^-.5 and -.1";
  EXPECT_EQ(layers[1].fitting_histogram.front(), 1u) << "-2 is beyond the first edge";
  EXPECT_EQ(layers[1].fitting_histogram.back(), 1u) << "3 is beyond the last edge";
}

TEST_F(FlipSummaryTest, CorrelationsSkipWhatIsUnknown) {
  const std::vector<LayerFlips> layers = summarize_flips(flips_, names_);
  const LayerFlips &conv = layers[0], &fc = layers[1], &all = layers[2];
  EXPECT_EQ(conv.score.flips, 0u);
  EXPECT_FALSE(conv.score.fitting);
  EXPECT_EQ(fc.score.flips, 4u);
  EXPECT_DOUBLE_EQ(*fc.score.fitting, 1);
  // Ranks by fitting 1 2 4 3 (rows 0 to 3), by held out 1 2 4 3.
  EXPECT_DOUBLE_EQ(*fc.score.held_out, 1);
  EXPECT_DOUBLE_EQ(*fc.fitting_with_held_out, 1);
  EXPECT_EQ(all.relaxed_effect.flips, 2u);
  EXPECT_DOUBLE_EQ(*all.relaxed_effect.fitting, -1);
  EXPECT_EQ(conv.entropy.flips, 8u);
  EXPECT_FALSE(fc.entropy.fitting) << "constant";
  // Ranks of the fitting effects 1.5 1.5 3 4 6 7 8 5, of the entropies 2.5 (four times) and 6.5.
  const double covariance = 2 * ((6 + 7 + 8 + 5) - (1.5 + 1.5 + 3 + 4)), variance = (8 * 63.0 - 6) / 12;
  EXPECT_NEAR(*conv.entropy.fitting, covariance / std::sqrt(32 * variance), 1e-12);
}

}  // namespace
}  // namespace firn
