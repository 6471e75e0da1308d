#include "firn/report/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

BooleanNetwork one_gate() {
  BooleanNetwork network{.input = {2, 1, 1}, .layers = {}, .head = {}};
  network.layers.push_back(boolean_dense("fc1", 2, {0, 1}, {Gate::kAnd}));
  return network;
}

void write_checkpoint(const std::filesystem::path& file) {
  EncoderParts parts;
  parts.encoding = "passthrough";
  parts.values = "bytes";
  parts.input_shape = {2, 1, 1};
  parts.thresholds = Matrix<float>(1, 1);
  save_checkpoint(file, {"seed = 1\n", 7, 2, {}, {}}, Encoder::from_parts(std::move(parts)), [](StateVisitor&) {});
}

TEST(Gather, TakesEveryKindOfFolder) {
  const TemporaryFolder folder;
  write_run_folder(folder / "alone", "seed = 1\n");
  write_run_folder(folder / "sweep/runs/a", "seed = 1\n");
  write_run_folder(folder / "sweep/runs/b", "seed = 2\n");
  write_diagnose_folder(folder / "diagnosis");
  std::size_t done = 0, total = 0;
  GatherSettings settings;
  settings.on_folder = [&](std::size_t d, std::size_t t) { done = d, total = t; };
  const ReportRecord report = gather(std::vector{folder / "alone", folder / "sweep", folder / "diagnosis"}, settings);
  EXPECT_EQ(report.runs.size(), 3u);
  ASSERT_EQ(report.sweeps.size(), 1u);
  EXPECT_EQ(report.sweeps[0].runs, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(report.diagnoses.size(), 1u);
  EXPECT_EQ(done, 4u);
  EXPECT_EQ(total, 4u);
}

TEST(Gather, FoldersOfOneNameAreToldApartByTheirPaths) {
  const TemporaryFolder folder;
  write_run_folder(folder / "x/run", "seed = 1\n");
  write_run_folder(folder / "y/run", "seed = 1\n");
  write_run_folder(folder / "other", "seed = 1\n");
  const ReportRecord report = gather(std::vector{folder / "x/run", folder / "y/run", folder / "other"}, {});
  EXPECT_EQ(report.runs[0].name, (folder / "x/run").string());
  EXPECT_EQ(report.runs[1].name, (folder / "y/run").string());
  EXPECT_EQ(report.runs[2].name, "other");
}

TEST(Gather, CircuitsAreCountedOnceForEachConfigurationOfASweep) {
  const TemporaryFolder folder;
  for (const char* run : {"a", "b", "c"}) {
    const std::string config =
        run == std::string("c") ? "seed = 1\nname = \"other\"\n" : fmt::format("seed = {}\n", run[0] - 'a');
    write_run_folder(folder / ("sweep/runs/" + std::string(run)), config);
    write_checkpoint(folder / ("sweep/runs/" + std::string(run) + "/last.safetensors"));
  }
  GatherSettings settings;
  settings.harden = [](const Checkpoint&) { return one_gate(); };
  const ReportRecord report = gather(std::vector{folder / "sweep"}, settings);
  EXPECT_EQ(report.runs[0].gates.size(), 1u);
  EXPECT_TRUE(report.runs[1].gates.empty());
  EXPECT_EQ(report.runs[2].gates.size(), 1u);
}

TEST(Gather, ACheckpointThatCannotBeAskedCostsOnlyItsOwnFigures) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", "seed = 1\n");
  write_checkpoint(folder / "a/last.safetensors");
  GatherSettings settings;
  settings.harden = [](const Checkpoint&) -> BooleanNetwork { throw Error("it has a layer of somebody's own"); };
  settings.answer = [](const Checkpoint&) -> Answers { throw Error("the data are missing"); };
  const ReportRecord report = gather(std::vector{folder / "a"}, settings);
  EXPECT_TRUE(report.runs[0].gates.empty());
  EXPECT_EQ(report.runs[0].no_gates, "it has a layer of somebody's own");
  EXPECT_EQ(report.runs[0].no_answers, "the data are missing");
}

TEST(Gather, ADamagedCheckpointIsRefusedWhereItIsRead) {
  const TemporaryFolder folder;
  write_run_folder(folder / "a", "seed = 1\n");
  const std::filesystem::path last = folder / "a/last.safetensors";
  write_checkpoint(last);
  std::filesystem::resize_file(last, file_size(last) - 1);
  GatherSettings settings;
  settings.answer = [](const Checkpoint&) -> Answers { throw Error("the data are missing"); };
  EXPECT_THAT(error_of([&] { gather(std::vector{folder / "a"}, settings); }),
              HasSubstr("last.safetensors is not a sound safetensors file"));
  EXPECT_EQ(gather(std::vector{folder / "a"}, {}).runs.size(), 1u) << "a live page is of files that change";
}

TEST(Gather, OtherFoldersAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { gather(std::vector{folder / "none"}, {}); }), HasSubstr("none is not a directory"));
  EXPECT_THAT(error_of([&] { gather(std::vector{folder.path()}, {}); }), HasSubstr("holds no run, sweep or diagnosis"));
}

}  // namespace
}  // namespace firn
