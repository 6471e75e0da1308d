#include "firn/study/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/study/config_text.h"
#include "firn/study/preset.h"
#include "firn/study/run.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> about(const std::string& text) {
  return warnings_about(parse_config(text, "test"));
}

TEST(Warnings, NameKeysWithoutEffect) {
  EXPECT_THAT(about("data.source = \"mnist\"\ndata.file = \"a.csv\"\nmodel.family = \"compact\""),
              ElementsAre("data.file has no effect with data.source = \"mnist\""));
  EXPECT_THAT(about("model.family = \"dense\"\nmodel.tree_depth = 2"),
              ElementsAre("model.tree_depth has no effect with model.family = \"dense\""));
  EXPECT_THAT(
      about("model.family = \"dense\"\nfreeze.strategy = \"global\"\nfreeze.task.patience = 9\n"
            "freeze.task.interval = 5"),
      ElementsAre("freeze.task.interval, freeze.task.patience have no effect with freeze.strategy = \"global\""));
  EXPECT_THAT(about("model.family = \"dense\"\nfreeze.strategy = \"task\"\nfreeze.start = 30000"),
              ElementsAre(AllOf(HasSubstr("freeze.start = 30000"), HasSubstr("never acts"))));
}

TEST(Warnings, PresetsGiveNone) {
  for (const Preset& preset : presets())
    EXPECT_THAT(warnings_about(parse_config(preset.text, "preset")), IsEmpty()) << preset.name;
}

std::vector<std::string> about_data(const Dataset& data, const std::string& text) {
  Threads threads(1);
  const Run run(
      parse_config("model.family = \"dense\"\nmodel.width = 40\nmodel.layers = 1\ntrain.batch = 4\n" + text, "test"),
      data, threads);
  return warnings_about(run.config(), run.experiment());
}

Dataset two_columns(float unit) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 40; ++i) rows.push_back({static_cast<float>(i), unit * static_cast<float>(i)});
  Dataset data = real_data({2, 1, 1}, rows);
  data.classes = 2;
  for (std::size_t i = 0; i < 40; ++i) data.train.labels[i] = i % 2;
  return data;
}

TEST(Warnings, ColumnsOfOtherUnits) {
  EXPECT_THAT(about_data(two_columns(1e-4f), ""), Contains(AllOf(HasSubstr("2 columns"), HasSubstr("encode.scope"))));
  EXPECT_THAT(about_data(two_columns(1e-4f), "encode.scope = \"feature\""), IsEmpty());
  EXPECT_THAT(about_data(two_columns(1), ""), IsEmpty());
  EXPECT_THAT(about_data(two_columns(1e-4f), "encode.encoding = \"foreground\""),
              Contains(HasSubstr("set encode.encoding = \"distributive\" and encode.scope")));
}

TEST(Warnings, RepeatedThresholds) {
  std::vector<std::vector<std::uint8_t>> rows(40, std::vector<std::uint8_t>(9, 0));
  for (std::vector<std::uint8_t>& row : rows) row[4] = 200, row[5] = 10, row[3] = 10;
  Dataset data = byte_data({1, 3, 3}, rows);
  data.classes = 2;
  for (std::size_t i = 0; i < 40; ++i) data.train.labels[i] = i % 2;
  EXPECT_THAT(about_data(data, ""), Contains(AllOf(HasSubstr("thresholds 0, 0, 10"), HasSubstr("foreground"))));
  EXPECT_THAT(about_data(data, "encode.encoding = \"foreground\""), IsEmpty());
  EXPECT_THAT(about_data(data, "encode.encoding = \"uniform\""), IsEmpty());
}

TEST(Warnings, ResamplingWithoutSlots) {
  const std::string resample = "resample.enabled = true\nencode.scope = \"feature\"";
  EXPECT_THAT(about_data(two_columns(1), resample), ElementsAre(HasSubstr("resample.enabled")));
}

TEST(Warnings, LearnedWiringWithoutNewCandidates) {
  const std::string learned = "model.wiring = \"learned\"\nencode.scope = \"feature\"\n";
  EXPECT_THAT(about_data(two_columns(1), learned), ElementsAre(HasSubstr("set resample.enabled = true")));
  EXPECT_THAT(about_data(two_columns(1), learned + "resample.enabled = true"), IsEmpty());
}

}  // namespace
}  // namespace firn
