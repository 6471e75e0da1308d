#include "firn/study/settle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "firn/study/config_text.h"
#include "firn/study/config_values.h"
#include "firn/study/preset.h"
#include "firn/study/run.h"
#include "firn/study/start.h"
#include "firn/study/suggest.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/small_data.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Forty rows of two columns in different units; the class follows the first.
std::string small_csv() {
  std::string text = "size,weight,kind\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{},{},{}\n", i, 1000 * ((i * 7) % 40) + 1, i < 20 ? "small" : "large");
  return text;
}

Dataset images(std::size_t channels, std::size_t height, std::size_t width, std::size_t classes = 3) {
  Dataset data;
  data.name = "images";
  data.shape = {channels, height, width};
  data.classes = classes;
  data.train.bytes = random_bytes(60, data.shape.size(), 1);
  for (std::size_t i = 0; i < 60; ++i) data.train.labels.push_back(static_cast<std::uint16_t>(i % classes));
  return data;
}

Config with_source(const std::string& source, const std::string& more = "") {
  return parse_config(fmt::format("data.source = \"{}\"\n{}", source, more), "test");
}

TEST(Settle, EveryImageSizeGetsANetworkThatCanBeBuilt) {
  for (const std::size_t channels : {1, 2, 3, 4})
    for (const std::size_t height : {1, 5, 8, 12, 13, 15, 16, 24, 31, 40, 65})
      for (const std::size_t width : {3, 12, 17, 28, 33, 50, 96}) {
        const Dataset data = images(channels, height, width, 7);
        const Config config = settle(with_source("npy"), data);
        EXPECT_FALSE(is_open(config));
        const std::size_t bits = config.encode.encoding == "passthrough" ? 1 : config.encode.thresholds;
        EXPECT_NO_THROW(describe_network(config.model, {bits * channels, height, width}, 7, 1, standard_layer_kinds()))
            << channels << " x " << height << " x " << width;
      }
}

TEST(Settle, LargeImagesGetConvolutionsAndTablesDoNot) {
  EXPECT_EQ(settle(with_source("npy"), images(3, 40, 40)).model.family, "list");
  EXPECT_EQ(settle(with_source("npy"), images(1, 8, 8)).model.family, "dense");
  const Config table = settle(with_source("csv"), images(30, 1, 1));
  EXPECT_EQ(table.model.family, "dense");
  EXPECT_EQ(table.encode.scope, "feature");
}

// Quantiles of a feature that is mostly 1 would all be 1, and no value is above that.
TEST(Settle, RealsOfTwoValuesAreCutInTheMiddle) {
  std::vector<std::vector<float>> rows(40, std::vector<float>{1, 1});
  for (std::size_t i = 0; i < 10; ++i) rows[i][0] = 0;
  Dataset data = real_data({2, 1, 1}, rows);
  data.classes = 2;
  for (std::size_t i = 0; i < 40; ++i) data.train.labels[i] = i < 10;
  const Config config = settle(with_source("npy"), data);
  EXPECT_EQ(config.encode.encoding, "uniform");
  EXPECT_EQ(config.encode.thresholds, 1u);
}

TEST(Settle, WhatTheUserSaysStays) {
  const Config config =
      settle(with_source("npy", "model.width = 900\ntrain.steps = 7\nencode.thresholds = 2\ntrain.batch = 5"),
             images(3, 40, 40));
  EXPECT_EQ(config.model.family, "dense");
  EXPECT_EQ(config.model.width, 900u);
  EXPECT_EQ(config.train.steps, 7u);
  EXPECT_EQ(config.train.batch, 5u);
  EXPECT_EQ(config.encode.thresholds, 2u);
}

TEST(Settle, MoreThresholdsGetAWiderNetwork) {
  const Dataset data = images(1, 11, 11);
  const Config config = settle(with_source("npy", "encode.thresholds = 200"), data);
  EXPECT_NO_THROW(describe_network(config.model, {200, 11, 11}, 3, 1, standard_layer_kinds()));
}

TEST(Settle, NoBatchIsLargerThanWhatIsLeftToTrainOn) {
  const Config config = settle(with_source("npy", "data.validation = 45"), images(1, 4, 4));
  EXPECT_EQ(config.train.batch, 15u);
}

TEST(Settle, WellKnownDataKeepTheSettingsTheyAlwaysHad) {
  const Config config = settle(with_source("mnist"), "");
  EXPECT_EQ(to_toml(config), to_toml([] {
              Config usual;
              usual.data.source = "mnist";
              return usual;
            }()));
}

TEST(Settle, PresetsAreSettledAsTheyAreRead) {
  for (const Preset& preset : presets()) {
    const Config config = parse_config(preset.text, std::string(preset.name));
    EXPECT_FALSE(is_open(config)) << preset.name;
    EXPECT_THAT(config.open, IsEmpty()) << preset.name;
    EXPECT_EQ(config.data.split, "uniform") << preset.name;
  }
}

TEST(Settle, AnOpenConfigurationReadsBackOpen) {
  const Config config = with_source("csv", "train.steps = 9");
  EXPECT_THAT(config.open, Contains("model.width"));
  EXPECT_THAT(config.open, Not(Contains("train.steps")));
  const Config again = parse_config(to_toml(config), "again");
  EXPECT_EQ(again.open, config.open);
  EXPECT_EQ(again.data.split, "auto");
  EXPECT_EQ(to_toml(again), to_toml(config));
  EXPECT_THAT(with_source("csv", "model.family = \"dense\"").open, IsEmpty());
}

TEST(Settle, StoredConfigurationsOfOlderVersionsKeepTheirSplit) {
  const std::string old = "[data]\nsource = \"csv\"\nfile = \"a.csv\"\n[model]\nfamily = \"dense\"\n";
  EXPECT_EQ(parse_stored_config(old, "old").data.split, "uniform");
  EXPECT_EQ(read_stored_config(old, "old").config.data.split, "uniform");
  EXPECT_EQ(parse_config(old, "new").data.split, "auto");
}

class OwnDataTest : public ::testing::Test {
 protected:
  OwnDataTest() { write_input(folder_ / "own.csv", small_csv()); }
  Config config(const std::string& more = "") const {
    return with_source("csv", fmt::format("data.file = \"{}\"\n{}", (folder_ / "own.csv").string(), more));
  }
  static TrainObserver deaf() {
    return {.on_step = [](std::uint64_t, double, std::optional<double>) {}, .on_metrics = [](const Metrics&) {}};
  }
  TemporaryFolder folder_;
  Threads threads_{1};
};

TEST_F(OwnDataTest, SourceAndFileAreEnoughToTrain) {
  const RunFolder folder(folder_ / "run");
  const auto run = start_run(config("train.steps = 30"), folder, {}, threads_);
  EXPECT_EQ(run->config().model.family, "dense");
  EXPECT_EQ(run->config().data.split, "stratified");
  EXPECT_TRUE(run->train(folder, deaf()));
  const Config stored = load_config(folder.config());
  EXPECT_EQ(to_toml(stored), to_toml(run->config()));
}

TEST_F(OwnDataTest, ARunResumesAsItBegan) {
  const RunFolder folder(folder_ / "run");
  EXPECT_TRUE(start_run(config("train.steps = 30"), folder, {}, threads_)->train(folder, deaf()));
  // As if it had been written by a version that chose otherwise and had no key for the split.
  std::string text = read_text(folder.config());
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace("split = \"stratified\"\n", "");
  replace("layers = 5\n", "layers = 2\n");
  write_input(folder.config(), text);
  const Config resumed = as_in_folder(config("train.steps = 60"), folder);
  EXPECT_EQ(resumed.data.split, "uniform");
  EXPECT_EQ(resumed.model.layers, 2u);
  EXPECT_EQ(resumed.train.steps, 60u);
  EXPECT_FALSE(is_open(resumed));
}

TEST_F(OwnDataTest, ResumingReachesTheSameBytes) {
  const RunFolder whole(folder_ / "whole"), cut(folder_ / "cut");
  EXPECT_TRUE(start_run(config("train.steps = 40"), whole, {}, threads_)->train(whole, deaf()));
  TrainObserver impatient = deaf();
  int steps = 0;
  impatient.on_step = [&](std::uint64_t, double, std::optional<double>) { ++steps; };
  impatient.cancelled = [&] { return steps == 20; };
  EXPECT_FALSE(start_run(config("train.steps = 40"), cut, {}, threads_)->train(cut, impatient));
  EXPECT_TRUE(start_run(config("train.steps = 40"), cut, {.resume = true}, threads_)->train(cut, deaf()));
  EXPECT_TRUE(read_text(whole.last()) == read_text(cut.last()));
}

}  // namespace
}  // namespace firn
