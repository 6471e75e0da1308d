#include "firn/study/diagnose_discrete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "firn/study/diagnose_checkpoint.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/start.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

DiagnoseParams only_discrete() {
  DiagnoseParams params{.discrete = true};
  params.settings = {.effects = false, .locality = false, .held_out = false, .gaps = false, .neurons = 10};
  return params;
}

class DiagnoseDiscreteTest : public ::testing::Test {
 protected:
  std::filesystem::path train(const std::string& name, const Config& config) {
    const RunFolder folder(folder_ / name);
    EXPECT_TRUE(start_run(config, folder, {}, threads_)->train(folder, {}));
    return folder.last();
  }
  CheckpointDiagnosis diagnose(const std::filesystem::path& checkpoint, const DiagnoseParams& params) {
    return diagnose_checkpoint(checkpoint, folder_ / "out", params, threads_);
  }

  TemporaryFolder folder_;
  Threads threads_{2};
};

TEST_F(DiagnoseDiscreteTest, HasFourFlipsOfEveryGateAndLooksAtAllExamples) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  const CheckpointDiagnosis result = diagnose(checkpoint, only_discrete());
  const DiscreteDiagnosis& discrete = result.discrete.value();
  EXPECT_EQ(discrete.flips.size(), 4u * 3 * 64);
  EXPECT_EQ(discrete.fitting_samples, 540u);
  EXPECT_EQ(discrete.relaxed_samples, 540u);
  EXPECT_EQ(discrete.held_out_samples, 60u) << "a tenth of 600";
  EXPECT_EQ(discrete.layers, (std::vector<std::string>{"fc1", "fc2", "fc3"}));
  ASSERT_EQ(discrete.summaries.size(), 4u);
  for (const DiscreteFlip& flip : discrete.flips) {
    EXPECT_EQ(flip.fitting.images, 540u);
    EXPECT_EQ(flip.held_out.images, 60u);
    EXPECT_TRUE(flip.score);
    EXPECT_GT(flip.entropy, 0);
  }
  for (const LayerFlips& layer : discrete.summaries) EXPECT_EQ(layer.score.flips, layer.flips);
  EXPECT_EQ(discrete.summaries.back().relaxed_effect.flips, 4u * 3 * 10);
  const std::string table = read_text(folder_ / "out/flips.csv");
  EXPECT_THAT(table, HasSubstr("layer,neuron,row,gate,flipped_gate,effect,"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 4 * 3 * 64);
  const auto summary = nlohmann::json::parse(read_text(folder_ / "out/summary.json"));
  EXPECT_EQ(summary["discrete"]["layers"]["fc2"]["flips"], 256);
  EXPECT_EQ(summary["discrete"]["fitting"]["examples"], 540);
  EXPECT_EQ(summary["samples"], 60);
}

TEST_F(DiagnoseDiscreteTest, EffectsOfAFrozenNetworkAreItsRelaxedEffects) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  discretize_checkpoint({.checkpoint = checkpoint, .output = folder_ / "frozen.safetensors"}, threads_);
  DiagnoseParams params = only_discrete();
  params.settings.neurons = 64;
  params.fit_samples = 300;
  const DiscreteDiagnosis discrete = diagnose(folder_ / "frozen.safetensors", params).discrete.value();
  double largest = 0;
  for (const DiscreteFlip& flip : discrete.flips) {
    ASSERT_TRUE(flip.relaxed_effect);
    EXPECT_NEAR(*flip.relaxed_effect, flip.fitting.mean(), 1e-6) << flip.layer << " " << flip.neuron << " " << flip.row;
    EXPECT_EQ(flip.entropy, 0);
    largest = std::max(largest, std::abs(flip.fitting.mean()));
  }
  EXPECT_GT(largest, 1e-3);
}

TEST_F(DiagnoseDiscreteTest, GatesWithPairsOfTheirOwnHaveNoScores) {
  Config config = small_config("final-argmax", 0);
  config.model = {
      .family = "list",
      .layer = {{"slot-dense", {{"outputs", std::int64_t{40}}}}, {"dense", {{"outputs", std::int64_t{32}}}}}};
  const auto checkpoint = train("run", config);
  const DiscreteDiagnosis discrete = diagnose(checkpoint, only_discrete()).discrete.value();
  EXPECT_EQ(discrete.flips.size(), 4u * 72);
  for (const DiscreteFlip& flip : discrete.flips) {
    EXPECT_EQ(flip.score.has_value(), flip.layer == 1);
    EXPECT_TRUE(flip.layer == 1 || !flip.relaxed_effect);
    EXPECT_GT(flip.entropy, 0);
  }
  EXPECT_EQ(discrete.summaries[0].score.flips, 0u);
  EXPECT_EQ(discrete.summaries[1].score.flips, 4u * 32);
  EXPECT_EQ(discrete.summaries[1].relaxed_effect.flips, 4u * 10);
  const auto summary = nlohmann::json::parse(read_text(folder_ / "out/summary.json"));
  EXPECT_TRUE(summary["discrete"]["layers"]["fc1"]["spearman"]["score"]["fitting"].is_null());
}

TEST_F(DiagnoseDiscreteTest, RefusesBeforeItMakesTheFolder) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  DiagnoseParams params = only_discrete();
  params.fit_samples = 541;
  EXPECT_THAT(error_of([&] { diagnose(checkpoint, params); }), HasSubstr("training set has 540 examples, not 541"));
  Config real = small_config("final-argmax", 0);
  real.encode.encoding = "raw";
  EXPECT_THAT(error_of([&] { diagnose(train("real", real), only_discrete()); }), HasSubstr("reads real values"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(DiagnoseDiscreteTest, DoesNotDependOnThreads) {
  const auto checkpoint = train("run", small_config("final-argmax", 0));
  diagnose(checkpoint, only_discrete());
  Threads one(1);
  diagnose_checkpoint(checkpoint, folder_ / "one", only_discrete(), one);
  for (const char* name : {"flips.csv", "summary.json"})
    EXPECT_EQ(read_text(folder_ / "out" / name), read_text(folder_ / "one" / name)) << name;
}

}  // namespace
}  // namespace firn
