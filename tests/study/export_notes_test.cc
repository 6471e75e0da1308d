// What exported files say about themselves, and the thresholds that they list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "firn/base/file.h"
#include "firn/study/export_circuit.h"
#include "firn/study/thresholds.h"
#include "tests/support/expect_error.h"
#include "tests/support/export_to.h"
#include "tests/support/models_on_reals.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

TEST(ExportNotesTest, NotesSayWhatMissingValuesAndCategoriesAre) {
  CircuitModel model = filled_model();
  model.schema->columns.pop_back();
  model.schema->columns[3] = {"colour", ColumnKind::kCategorical, {"blue", "red"}};
  const ExportedCircuit floats = export_circuit(model, find_format("c"), {"net", "a model", true, HeadForm::kBinary});
  const ExportedCircuit fixed = export_circuit(
      model, find_format("c"), {"net", "a model", true, HeadForm::kBinary, parse_input_format("fixed:8.8")});
  const std::string verilog =
      export_circuit(model, find_format("verilog"), {"net", "a model", false, HeadForm::kBinary}).circuit;
  for (const std::string& text : {floats.circuit, floats.header, fixed.circuit, fixed.header, verilog}) {
    EXPECT_THAT(text,
                HasSubstr("Features 3 to 4 (\"colour=blue\" to \"colour=red\") are 1 where set, and 0 elsewhere."));
    EXPECT_THAT(text, HasSubstr("  feature 0 \"age\": -0.5\n"));
  }
  for (const std::string& text : {floats.circuit, floats.header}) EXPECT_THAT(text, HasSubstr("are filled in here"));
  for (const std::string& text : {fixed.circuit, fixed.header, verilog})
    EXPECT_THAT(text, HasSubstr("must be filled in by the caller"));
}

TEST(ExportNotesTest, AHeaderReplacesOnlyAHeader) {
  const CircuitModel model = model_on_reals(3);
  const TemporaryFolder folder;
  export_to(folder, model, "net.c", {"net", "a model", true, HeadForm::kBinary});
  export_to(folder, model, "net.c", {"net", "another model", true, HeadForm::kBinary});
  EXPECT_THAT(read_text((folder / "net.h").string()), HasSubstr("another model"));
  write_file((folder / "own.h").string(), "int my_work;\n");
  std::filesystem::create_directory(folder / "taken.h");
  for (const auto& [file, part] :
       {std::pair("own.c", "own.h was not written by Firn"), {"taken.c", "taken.h is a folder"}}) {
    EXPECT_THAT(error_of([&, name = file] {
                  export_to(folder, model, name, {"net", "a model", true, HeadForm::kBinary});
                }),
                HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(folder / file));
  }
  EXPECT_EQ(read_text((folder / "own.h").string()), "int my_work;\n");
}

TEST(ThresholdsTest, FeaturesShareThresholdsUnlessTheyHaveNames) {
  CircuitModel model = model_on_reals(3);
  EXPECT_EQ(threshold_groups(model).at(1).name, "a */ b");
  Matrix<float> one(2, 1);
  one[1][0] = 7;
  model.encoder = Encoder::from_parts({"distributive", "reals", {kFeatures, 1, 1}, one});
  ASSERT_EQ(threshold_groups(model).size(), kFeatures);
  EXPECT_EQ(threshold_groups(model)[4].thresholds, (std::vector<float>{0, 7}));
  model.schema.reset();
  ASSERT_EQ(threshold_groups(model).size(), 1u);
  EXPECT_EQ(threshold_groups(model)[0].name, "every feature");
  EXPECT_EQ(threshold_groups(model)[0].count, kFeatures);
  model.encoder = Encoder::from_parts({"distributive", "bytes", {2, 3, 1}, Matrix<float>(1, 2)});
  ASSERT_EQ(threshold_groups(model).size(), 2u);
  EXPECT_EQ(threshold_groups(model)[1].name, "channel 1");
  EXPECT_EQ(threshold_groups(model)[1].first, 3u);
}

TEST(ExportNotesTest, TheHeadOfEveryFileListsThresholds) {
  const CircuitModel model = model_on_reals(3);
  for (const FormatEntry& format : formats())
    for (const bool encoder : {false, true}) {
      const std::string text = export_circuit(model, format, {"net", "a model", encoder, HeadForm::kNone}).circuit;
      EXPECT_THAT(text, HasSubstr("feature 1 \"a * / b\": 0.1, 0.1, 0.2, 100")) << format.name;
      EXPECT_THAT(text, HasSubstr("0 \"yes * /\", 1 \"no \"really\"\", 2 \"perhaps/\"")) << format.name;
    }
  const std::string fixed = export_circuit(model, find_format("verilog"),
                                           {"net", "a model", true, HeadForm::kBinary, parse_input_format("fixed:8.8")})
                                .circuit;
  EXPECT_THAT(fixed, HasSubstr("feature 2 \"3\": -200 (always above), -0.25 (-64), 17.75 (4544), 900 (never above)"));
  EXPECT_THAT(fixed, HasSubstr("2 of 19 thresholds are outside the range and 3 coincide"));
}

}  // namespace
}  // namespace firn
