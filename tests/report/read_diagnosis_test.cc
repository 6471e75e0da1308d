#include "firn/report/read_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadDiagnosis, HasSummaryAndNeurons) {
  const TemporaryFolder folder;
  write_diagnose_folder(folder / "d");
  const DiagnosisRecord d = read_diagnosis(folder / "d", 100);
  EXPECT_EQ(d.checkpoint, "runs/a/step-20.safetensors");
  EXPECT_FALSE(d.is_average);
  ASSERT_EQ(d.effects.size(), 1u);
  EXPECT_EQ(d.effects[0].entropy.value, 0.5);
  EXPECT_EQ(d.effects[0].entropy.high, 0.75);
  EXPECT_FALSE(d.effects[0].selected.value);
  ASSERT_EQ(d.wins.size(), 1u);
  EXPECT_EQ(d.wins[0].other_half.value, 0.25);
  EXPECT_TRUE(d.bins.empty());
  EXPECT_THAT(d.layers, ElementsAre("conv1", "conv2"));
  EXPECT_THAT(d.neuron_layer, ElementsAre(0, 1));
  EXPECT_EQ(d.neurons[1].name, "argmax_score");
  EXPECT_THAT(d.neurons[1].values, ElementsAre(-1e-9, 1e-9));
}

TEST(ReadDiagnosis, HasFlipsOfTheDiscreteNetwork) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "d");
  const std::string summary =
      R"({"checkpoint":"x","split":"val","step":20,"samples":40,"discrete":{"fitting":{"examples":300},)"
      R"("held_out":{"examples":40},"bin_edges":[-1,-0.5,0.5,1],"layers":{"fc1":{"gates":2,"flips":8,"without_effect":3,)"
      R"("lower_loss":{"flips":4,"also_held_out":2},"significant":{"flips":2,"also_held_out":1},"significant_gates":1,)"
      R"("histogram":{"fitting":[1,5,2],"held_out":[0,8,0]},"spearman":{"fitting_with_held_out":0.25,)"
      R"("score":{"fitting":null},"relaxed_effect":{"fitting":0.5},"entropy":{"fitting":-0.5}}}}}})";
  write_file(folder / "d/summary.json", summary);
  const DiagnosisRecord d = read_diagnosis(folder / "d", 100);
  EXPECT_EQ(d.fitting_examples.value, 300);
  EXPECT_EQ(d.held_out_examples.value, 40);
  ASSERT_EQ(d.flip_edges.size(), 4u);
  EXPECT_EQ(d.flip_edges[1].value, -0.5);
  ASSERT_EQ(d.flips.size(), 1u);
  const FlipRow& row = d.flips[0];
  EXPECT_EQ(row.layer, "fc1");
  EXPECT_EQ(row.without_effect.value, 3);
  EXPECT_EQ(row.lower.value, 4);
  EXPECT_EQ(row.lower_held_out.value, 2);
  EXPECT_EQ(row.significant.value, 2);
  EXPECT_EQ(row.significant_held_out.value, 1);
  EXPECT_EQ(row.held_out.value, 0.25);
  EXPECT_FALSE(row.score.value);
  EXPECT_EQ(row.relaxed_effect.value, 0.5);
  EXPECT_EQ(row.fitting_counts[1].value, 5);
  EXPECT_EQ(row.held_out_counts.size(), 3u);
  write_file(folder / "d/summary.json", std::regex_replace(summary, std::regex("bin_edges"), "edges"));
  EXPECT_THAT(error_of([&] { read_diagnosis(folder / "d", 9); }), HasSubstr("summary.json is no summary"));
}

TEST(ReadDiagnosis, ManyNeuronsAreThinned) {
  const TemporaryFolder folder;
  write_diagnose_folder(folder / "d");
  std::string rows = read_text(folder / "d/effects.csv");
  for (int i = 2; i < 100; ++i) rows += "conv2,0,0.25,1e-9,2e-9,1e-13,-0.25,0.5,0.0625\n";
  write_file(folder / "d/effects.csv", rows);
  const DiagnosisRecord d = read_diagnosis(folder / "d", 30);
  EXPECT_EQ(d.stride, 4u);
  EXPECT_EQ(d.neuron_layer.size(), 25u);
}

TEST(ReadDiagnosis, AveragesCarryTheirSpread) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "d/seed1/step-20");
  write_file(
      folder / "d/summary.json",
      R"({"checkpoint":"x","split":"val","step":{"mean":20,"sd":null,"count":1},"samples":{"mean":40,"sd":0,"count":2},)"
      R"("effects":{"all":{"neurons":{"mean":2,"sd":0,"count":2},"spearman":{"entropy":{"value":{"mean":0.5,"sd":0.125,"count":2}},)"
      R"("selected":{"value":null},"argmax":{"value":{"mean":1,"sd":0,"count":2}}},)"
      R"("median_displacement":{"argmax":{"mean":1,"sd":0,"count":2},"selected":{"mean":1,"sd":0,"count":2}}}}})");
  write_diagnose_folder(folder / "d/seed1/step-20");
  EXPECT_THAT(diagnose_folders(folder / "d"), ElementsAre(folder / "d", folder / "d/seed1/step-20"));
  const DiagnosisRecord d = read_diagnosis(folder / "d", 100);
  EXPECT_TRUE(d.is_average);
  EXPECT_EQ(d.effects[0].entropy.value, 0.5);
  EXPECT_EQ(d.effects[0].entropy.deviation, 0.125);
  EXPECT_EQ(d.effects[0].entropy.count, 2u);
}

TEST(ReadDiagnosis, DamagedFilesAreNamed) {
  const TemporaryFolder folder;
  write_diagnose_folder(folder / "d");
  write_file(folder / "d/effects.csv", "layer,neuron\nconv1,0\n");
  EXPECT_THAT(error_of([&] { read_diagnosis(folder / "d", 9); }), HasSubstr("effects.csv has no column \"entropy\""));
  for (const char* text : {"{", "[]", "{\"checkpoint\":1}", "{\"checkpoint\":\"a\",\"split\":\"val\",\"step\":1}"}) {
    write_file(folder / "d/summary.json", text);
    EXPECT_THAT(error_of([&] { read_diagnosis(folder / "d", 9); }),
                testing::AllOf(HasSubstr("summary.json is "), HasSubstr("run firn diagnose again")))
        << text;
  }
}

}  // namespace
}  // namespace firn
