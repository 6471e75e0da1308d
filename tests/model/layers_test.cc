// The fast layers against the reference, on every instruction set, at awkward sizes.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "firn/network/kinds/chain.h"
#include "tests/support/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/layer_check.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

using Make = std::function<Draft()>;

// Row lengths of one, two and three vectors of sixteen; soft and hard weights; no, some and all neurons frozen.
void check_layer(const Make& make, const std::string& what) {
  each_target([&](const char* target) {
    for (const std::size_t samples : {16, 32, 48})
      for (const double share : {0.0, 0.4, 1.0}) {
        const LayerAlone layer(make());
        layer->set_output_border(samples == 32 && layer->output().shape.height > 1 ? 1 : 0);
        for (Neurons* group : layer->neurons()) freeze_some(*group, share, 7);
        WeightPlan plan;
        plan.hard = samples == 48;
        expect_matches_reference(*layer, samples, TestInput::kPackable, plan, samples,
                                 fmt::format("{} on {} samples {} frozen {}", what, target, samples, share));
      }
  });
}

TEST(DenseLayer, MatchesReference) {
  check_layer([] { return random_dense("fc", {13}, {15}, 1); }, "single");
  for (std::size_t depth = 2; depth <= 4; ++depth) {
    std::vector<std::size_t> widths;
    for (std::size_t level = 0; level < depth; ++level) widths.push_back(std::size_t{3} << (depth - 1 - level));
    check_layer([&] { return random_dense("fc", {5}, widths, depth); }, "stack of " + std::to_string(depth));
  }
}

Draft random_chains(std::size_t inputs, std::size_t chains, std::size_t gates) {
  ChainSettings settings;
  settings.outputs = chains;
  settings.gates = gates;
  return {{build_alone(settings, "fc", {inputs}, gates)}, gates};
}

TEST(ChainLayer, MatchesReference) {
  for (const std::size_t gates : {2u, 3u, 5u, 31u})
    check_layer([&] { return random_chains(13, 9, gates); }, "chain of " + std::to_string(gates));
}

TEST(ChainLayer, MatchesReferenceOnRowsOfSeveralBlocks) {
  each_target([](const char* target) {
    const LayerAlone layer(random_chains(12, 5, 6));
    expect_matches_reference(*layer, 272, TestInput::kAny, WeightPlan(), 1, target);
  });
}

TEST(TreeConvLayer, MatchesReference) {
  for (std::size_t depth = 1; depth <= 4; ++depth)
    for (std::size_t pool : {1, 2}) {
      const std::string name = "depth " + std::to_string(depth) + " pool " + std::to_string(pool);
      const TreeConvSettings padded = tree(3, depth, 3, 1, pool, "two-distinct");
      check_layer([&] { return random_tree("conv", {3, 4, 6}, padded, 10 + depth); }, "padded " + name);
      const TreeConvSettings bare = tree(2, depth, 5, 0, pool, "two-with-replacement");
      check_layer([&] { return random_tree("conv", {2, 8, 6}, bare, depth); }, "unpadded " + name);
      const TreeConvSettings strided = tree(2, depth, 3, 1, pool, "all", 2);
      check_layer([&] { return random_tree("conv", {2, 7, 8}, strided, depth); }, "strided " + name);
    }
}

// Blocks of pruned trees are then narrower than the image. Sums over so many placements have larger errors.
TEST(TreeConvLayer, PrunedTreesMatchReferenceOnWideImages) {
  each_target([](const char* target) {
    for (const std::size_t pool : {1, 2})
      for (const std::size_t stride : {1, 2})
        for (const double share : {0.8, 1.0}) {
          const LayerAlone layer(random_tree("conv", {1, 4, 72}, tree(4, 3, 3, 1, pool, "all", stride), 3));
          for (Neurons* group : layer->neurons()) freeze_some(*group, share, 7);
          expect_matches_reference(*layer, 32, TestInput::kAny, {}, 1,
                                   fmt::format("{} pool {} stride {} frozen {}", target, pool, stride, share), 1e-5f);
        }
  });
}

// Leaves that share rows are added in an order that depends on where they lie: in one plane, in two, in many; close to
// each other or far apart; and hardly ever within the image where the output is small.
TEST(TreeConvLayer, PooledTreesMatchReferenceWhereverLeavesLie) {
  for (const char* channels : {"one", "two-distinct", "all"})
    for (const std::size_t side : {4, 10})
      for (const std::size_t window : {3, 5}) {
        const TreeConvSettings settings = tree(3, 3, window, window / 2, 2, channels);
        check_layer(
            [&] {
              return random_tree("conv", {8, side, side}, settings, window);
            },
            fmt::format("{} side {} window {}", channels, side, window));
      }
}

TEST(SlotDenseLayer, MatchesReference) {
  check_layer([] { return random_slot_dense("fc", {19}, 11, 1); }, "slot_dense");
}

TEST(SlotSelectLayer, MatchesReference) {
  check_layer([] { return random_slot_select("select", {19}, 11, 1); }, "slot_select");
}

// Packing moves a value by 2^-16 at most, and no gate changes faster than either of its operands.
constexpr double kPacking = 1. / 32768;

TEST(PackedLayers, RoundTheirInputOnly) {
  each_target([](const char* target) {
    for (const std::size_t samples : {16, 32, 48})
      for (const Draft& draft : {random_slot_dense("slots", {40}, 80, 2), random_dense("gates", {40}, {80}, 2)}) {
        const LayerAlone layer(draft);
        ASSERT_TRUE(layer->packs_input());
        expect_matches_reference(*layer, samples, TestInput::kAny, {}, samples,
                                 fmt::format("{} {} {}", layer->name(), target, samples), kPacking);
      }
  });
}

void expect_packed_rows_are_passed_on(const Draft& first, const Draft& second) {
  each_target([&](const char* target) {
    for (const std::size_t samples : {16, 32, 48}) {
      auto model = model_of({first, second}, head_of(3, 20.f));
      ASSERT_EQ(model->layer_count(), 2u);
      RandomBatch batch(*model, samples, /*binary=*/false, 3);
      Threads threads(1);
      model->prepare({{}}, threads);
      Workspace workspace = model->make_workspace(samples, false);
      batch.write_rows(0, samples, 0, workspace.values[0]);
      model->forward(workspace);
      const reference::Network formulas(*model);
      for (std::size_t s = 0; s < samples; ++s) {
        const auto expected = formulas.forward(weights_of(std::as_const(*model)), batch.samples()[s]).back();
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_NEAR(workspace.class_sums[c][s], expected[c], 3 * kPacking) << target << ' ' << samples;
      }
    }
  });
}

TEST(PackedLayers, PassPackedRowsOn) {
  for (const bool slots_first : {false, true})
    for (const bool slots_second : {false, true})
      expect_packed_rows_are_passed_on(
          slots_first ? random_slot_dense("fc1", {30}, 50, 1) : random_dense("fc1", {30}, {50}, 1),
          slots_second ? random_slot_dense("fc2", {50}, 60, 2) : random_dense("fc2", {50}, {60}, 2));
}

TEST(SlotConvLayer, MatchesReference) {
  for (std::size_t stride : {1, 2})
    for (std::size_t padding : {0, 1})
      check_layer(
          [&] {
            return random_slot_conv("conv", {2, 7, 8}, slot(5, 3, padding, stride), stride);
          },
          "stride " + std::to_string(stride) + " padding " + std::to_string(padding));
  check_layer([&] { return random_slot_conv("conv", {2, 7, 8}, slot(3, 5, 2, 1), 3); }, "window 5");
  check_layer([&] { return random_slot_conv("conv", {2, 3, 4}, slot(3, 1, 0, 1), 4); }, "window 1");
}

TEST(OrPoolLayer, MatchesReference) {
  check_layer([] { return or_pool("pool", {3, 4, 6}); }, "pool");
}

// What no kernel fits is run by the reference itself, in float.
TEST(ReferenceLayer, MatchesReference) {
  check_layer([] { return random_tree("line", {2, 1, 13}, tree(3, 2, 4, 1, 2, "all"), 1); }, "pool along a line");
  check_layer([] { return random_slot_conv("line", {2, 1, 9}, slot(3, 3, 1, 2), 2); }, "slots along a line");
}

// On binary inputs most windows are tied. All positions of a tie compute the same numbers in the same order, so the
// first one wins in the kernel as in the reference, and gradients agree although a maximum has no derivative there.
TEST(TreeConvLayer, TiedWindowsGiveTheGradientToTheFirstWinner) {
  each_target([&](const char* target) {
    for (std::size_t depth = 1; depth <= 4; ++depth) {
      const LayerAlone layer(random_tree("conv", {2, 8, 8}, tree(5, depth, 3, 1, 2, "one"), depth));
      for (Neurons* group : layer->neurons()) freeze_to_argmax(*group);
      expect_matches_reference(*layer, 32, TestInput::kBits, {}, depth, fmt::format("{} depth {}", target, depth));
    }
  });
}

// What feeds a padded convolution leaves room for its border, whichever layer it is.
TEST(Layers, DenseLayersFeedPaddedConvolutions) {
  for (const bool own_slots : {false, true}) {
    const Draft dense = own_slots ? random_slot_dense("fc", {30}, 40, 1) : random_dense("fc", {30}, {80, 40}, 1);
    auto model = model_of({dense, random_tree("conv", {40, 1, 1}, tree(12, 2, 3, 1, 1, "all"), 2)}, head_of(3, 1.f));
    RandomBatch batch(*model, 32, /*binary=*/true, 3);
    Threads threads(1);
    model->prepare({{}}, threads);
    Workspace workspace = model->make_workspace(32, false);
    batch.write_rows(0, 32, 0, workspace.values[0]);
    model->forward(workspace);
    const reference::Network formulas(*model);
    for (std::size_t s = 0; s < 32; ++s) {
      const auto expected = formulas.forward(weights_of(std::as_const(*model)), batch.samples()[s]).back();
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(workspace.class_sums[c][s], expected[c], 1e-5) << own_slots;
    }
  }
}

// Layers that were fused, because every output between them is used once, cannot take wires of any other kind.
TEST(Layers, FusedLayersRefuseWiresThatAreNotTheirs) {
  auto model = model_of({random_dense("fc", {30}, {80, 40, 20}, 1)}, head_of(2, 1.f));
  ASSERT_EQ(model->layer_count(), 1u);
  EXPECT_NO_THROW(model->rewire());
  std::vector<std::uint32_t>& wires = model->wiring(1).tap_channel;
  wires[0] = wires[1];
  EXPECT_THAT(error_of([&] { model->rewire(); }), ::testing::HasSubstr("the file is damaged"));
}

TEST(Layers, LeaveTheBorderOfTheirOutputZero) {
  for (const std::size_t border : {1, 2}) {
    for (const Draft& draft : {random_tree("tree", {2, 6, 6}, tree(3, 2, 3, 1, 2, "one"), 1),
                               random_slot_conv("slot", {2, 6, 6}, slot(3, 3, 1, 2), 1), or_pool("pool", {3, 6, 6})}) {
      const LayerAlone layer(draft);
      layer->set_output_border(border);
      LayerRun run = run_layer(*layer, 16, TestInput::kAny, {}, 3);
      for (std::size_t f = 0; f < layer->output().shape.size(); ++f)
        std::ranges::fill(run.out[layer->output().row_of_feature(f)], 0.f);
      for (std::size_t r = 0; r < run.out.rows(); ++r)
        for (float v : run.out[r]) EXPECT_EQ(v, 0) << layer->name();
    }
  }
}

}  // namespace
}  // namespace firn
