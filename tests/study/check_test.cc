#include "firn/study/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "firn/base/sealed_json.h"
#include "firn/base/table_sums.h"
#include "firn/data/source.h"
#include "firn/infer/model_file.h"
#include "firn/study/circuit_source.h"
#include "firn/study/start.h"
#include "firn/synth/delays.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    Config config = small_config("task", 10);
    config.train.keep_at = {30};
    const auto run = start_run(config, run_, {}, threads_);
    EXPECT_TRUE(run->train(run_, {}));
    run->test(run_);
    write_model(folder_ / "m.firn", harden_checkpoint(Checkpoint::read(run_.last())));
  }

  CheckResult check() const {
    const std::filesystem::path paths[] = {folder_.path()};
    return check_files(paths);
  }
  std::map<std::string, FileState> states() const {
    std::map<std::string, FileState> found;
    for (const CheckedFile& file : check().files) found[file.file.filename().string()] = file.state;
    return found;
  }
  void cut(const std::filesystem::path& file) const { std::filesystem::resize_file(file, file_size(file) - 1); }

  TemporaryFolder folder_;
  Threads threads_{1};
  RunFolder run_{folder_ / "run"};
};

TEST_F(CheckTest, EverythingThatARunWritesIsSound) {
  const auto found = states();
  for (const char* name : {"last.safetensors", "previous.safetensors", "best.safetensors", "step-30.safetensors",
                           "m.firn", "result.json", "metrics.jsonl", "freezes.csv", "checksums.json", "config.toml"}) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name), FileState::kSound) << name;
  }
  EXPECT_TRUE(check().is_sound());
  EXPECT_TRUE(check().recovery.empty());
}

TEST_F(CheckTest, EveryFileThatIsCutIsNamed) {
  for (const CheckedFile& file : check().files) {
    if (file.file.filename() == "config.toml") continue;  // people may change it
    const std::string before = read_text(file.file);
    cut(file.file);
    const auto found = states();
    EXPECT_EQ(found.at(file.file.filename().string()), FileState::kDamaged) << file.file;
    EXPECT_FALSE(check().is_sound());
    write_file(file.file, before);
  }
}

TEST_F(CheckTest, ARunThatLostItsLastCheckpointHasAWayBack) {
  std::filesystem::remove(run_.best());  // of the last step, too
  cut(run_.last());
  EXPECT_THAT(check().recovery, testing::ElementsAre(HasSubstr("can be resumed from " + run_.previous().string())));
  std::filesystem::remove(run_.last());
  EXPECT_THAT(check().recovery, testing::ElementsAre(HasSubstr("after step 56")));
  for (const auto& file : {run_.previous(), run_.kept(30)}) cut(file);
  EXPECT_THAT(check().recovery, testing::ElementsAre(HasSubstr("cannot be resumed")));
}

TEST_F(CheckTest, TemporariesAndMissingTablesAreFound) {
  write_file(run_.path() / ".best.safetensors.0.tmp", "half");
  EXPECT_EQ(states().at(".best.safetensors.0.tmp"), FileState::kLeftBehind);
  std::filesystem::remove(run_.freezes());
  EXPECT_EQ(states().at("freezes.csv"), FileState::kDamaged);
}

TEST_F(CheckTest, FilesWithoutChecksumsAreUncheckedAndListed) {
  EXPECT_TRUE(files_without_checksum(run_.path()).empty());
  EXPECT_TRUE(files_without_checksum(folder_ / "m.firn").empty());
  EXPECT_TRUE(files_without_checksum(folder_ / "missing").empty());
  std::filesystem::remove(run_.path() / TableSums::kFile);
  EXPECT_EQ(states().at("metrics.jsonl"), FileState::kUnchecked);
  EXPECT_THAT(files_without_checksum(run_.path()), testing::ElementsAre(run_.metrics(), run_.freezes()));
  write_file(run_.result(), "{}");
  EXPECT_THAT(files_without_checksum(run_.result()),
              testing::ElementsAre(run_.result(), run_.metrics(), run_.freezes()));
}

TEST_F(CheckTest, WhatIsNotThereIsRefused) {
  const std::filesystem::path missing[] = {folder_ / "missing"};
  EXPECT_THAT(error_of([&] { check_files(missing); }), HasSubstr("no such file or folder"));
  std::filesystem::create_directory(folder_ / "empty");
  const std::filesystem::path empty[] = {folder_ / "empty"};
  EXPECT_THAT(error_of([&] { check_files(empty); }), HasSubstr("holds nothing that Firn has written"));
}

TEST_F(CheckTest, ATableMayBeNamedAlone) {
  write_covered_tables(folder_.path(), {{"effects.csv", "a,b\n1,2\n"}});
  const std::filesystem::path table[] = {folder_ / "effects.csv"};
  EXPECT_EQ(check_files(table).files.at(0).state, FileState::kSound);
  cut(table[0]);
  EXPECT_EQ(check_files(table).files.at(0).state, FileState::kDamaged);
}

TEST_F(CheckTest, DelaysAreFoundUnderAnyName) {
  const DelayTable table{"osu018", "made up", {{1, 0.6}, {2, 0.8}}};
  const std::string text = delays_text(std::vector{table});
  write_file(folder_ / "cal.json", text);
  EXPECT_EQ(states().at("cal.json"), FileState::kSound);
  for (const char* part : {"checksum", "format", "firn delays", "0.6", "\"tables\""}) {
    std::string damaged = text;
    char& flipped = damaged[text.find(part) + 1];
    flipped = static_cast<char>(flipped ^ 1);
    write_file(folder_ / "cal.json", damaged);
    EXPECT_EQ(states().at("cal.json"), FileState::kDamaged) << part;
    write_file(folder_ / "cal", damaged);
    const std::filesystem::path alone[] = {folder_ / "cal"};
    EXPECT_EQ(check_files(alone).files.at(0).state, FileState::kDamaged) << part;
    std::filesystem::remove(alone[0]);
  }
  write_file(folder_ / "cal.json", R"({"format": "firn-delays", "tables": []})");
  EXPECT_THAT(files_without_checksum(folder_ / "cal.json"), testing::ElementsAre(folder_ / "cal.json"));
  const std::filesystem::path alone[] = {folder_ / "cal.json"};
  EXPECT_EQ(check_files(alone).files.at(0).state, FileState::kUnchecked);
  write_file(folder_ / "cal.json", R"({"format": "firn-delays"})");
  EXPECT_EQ(check_files(alone).files.at(0).state, FileState::kDamaged);
  write_file(folder_ / "cal.json", "{\n  \"checksum\": \"of another program\"\n}");
  EXPECT_FALSE(states().contains("cal.json"));
}

TEST_F(CheckTest, TensorsOfOtherProgramsMayBeginWithABrace) {
  std::string header = R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  header.resize('{', ' ');
  write_file(folder_ / "theirs.safetensors", std::string("{\0\0\0\0\0\0\0", 8) + header + "x");
  EXPECT_EQ(states().at("theirs.safetensors"), FileState::kUnchecked);
}

TEST_F(CheckTest, SamplesOfWorkersAreChecked) {
  const std::filesystem::path sample = folder_ / "samples/0123/sample.json";
  std::filesystem::create_directories(sample.parent_path());
  write_file(sample, seal_json({{"steps", 3}}, "firn sample of training"));
  EXPECT_EQ(states().at("sample.json"), FileState::kSound);
  write_file(sample, "");
  EXPECT_EQ(states().at("sample.json"), FileState::kDamaged);
}

TEST_F(CheckTest, PipesAndDevicesAreNotRead) {
  ASSERT_EQ(::mkfifo((folder_ / "x.firn").c_str(), 0600), 0);
  for (const std::filesystem::path& path : {folder_ / "x.firn", std::filesystem::path("/dev/zero")}) {
    const std::filesystem::path paths[] = {path};
    EXPECT_THAT(error_of([&] { check_files(paths); }), HasSubstr("is a pipe, a socket or a device"));
    EXPECT_TRUE(files_without_checksum(path).empty());
  }
  EXPECT_FALSE(states().contains("x.firn"));
  for (const std::filesystem::path& file : {run_.last(), run_.freezes(), run_.result()}) {
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  }
  cut(run_.previous());
  EXPECT_FALSE(check().is_sound());
  EXPECT_TRUE(files_without_checksum(run_.path()).empty());
  const std::filesystem::path sums = run_.path() / TableSums::kFile;
  std::filesystem::remove(sums);
  ASSERT_EQ(::mkfifo(sums.c_str(), 0600), 0);
  EXPECT_FALSE(states().contains(TableSums::kFile));
}

TEST_F(CheckTest, ADamagedTableIsNotContinued) {
  std::string text = read_text(run_.freezes());
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  write_file(run_.freezes(), text);
  Config config = small_config("task", 10);
  config.train.keep_at = {30};
  config.train.steps = 70;
  EXPECT_THAT(error_of([&] { start_run(config, run_, {.resume = true}, threads_); }),
              HasSubstr("freezes.csv is damaged"));
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  write_file(run_.freezes(), text);
  const auto run = start_run(config, run_, {.resume = true}, threads_);
  EXPECT_TRUE(run->train(run_, {}));
}

TEST_F(CheckTest, ARunThatWasKilledWhileItReplacedItsLastCheckpointIsComplete) {
  const std::string last = read_text(run_.last());
  std::filesystem::rename(run_.last(), run_.path() / "next.safetensors");
  Config config = small_config("task", 10);
  config.train.keep_at = {30};
  const auto run = start_run(config, run_, {.resume = true}, threads_);
  EXPECT_TRUE(run->train(run_, {}));
  EXPECT_TRUE(run->test(run_));
  EXPECT_EQ(read_text(run_.last()), last);
}

TEST_F(CheckTest, AKeptCheckpointOfTheStepThatIsResumedFromIsMadeUpFor) {
  Config config = small_config("task", 10);
  config.train.keep_at = {30, 60};
  config.train.steps = 70;
  const RunFolder whole(folder_ / "whole");
  start_run(config, whole, {}, threads_)->train(whole, {});
  for (const auto& file : {whole.last(), whole.previous(), whole.kept(60)}) std::filesystem::remove(file);
  const std::uint64_t step = Checkpoint::read(whole.best()).header().step;
  config.train.keep_at = {30, step};
  start_run(config, whole, {.resume = true}, threads_)->train(whole, {});
  EXPECT_TRUE(std::filesystem::exists(whole.kept(step)));
}

TEST_F(CheckTest, ADamagedKeptCheckpointOfTheStepThatIsResumedFromIsMadeAgain) {
  Config config = small_config("task", 10);
  config.train.keep_at = {30, 60};
  const RunFolder whole(folder_ / "whole");
  start_run(config, whole, {}, threads_)->train(whole, {});
  const std::string kept = read_text(whole.kept(60));
  cut(whole.kept(60));
  start_run(config, whole, {.resume = true}, threads_)->train(whole, {});
  EXPECT_EQ(read_text(whole.kept(60)), kept);
}

TEST_F(CheckTest, ALostBestCheckpointIsMadeAgainFromOneOfItsStep) {
  for (const std::uint64_t eval_every : {20, 60}) {  // among several, and at the last step of all
    Config config = small_config("task", 10);
    config.train.eval_every = eval_every;
    config.train.keep_at = {20, 40};
    const RunFolder run(folder_ / fmt::format("every {}", eval_every));
    start_run(config, run, {}, threads_)->train(run, {});
    const std::string best = read_text(run.best());
    cut(run.best());
    start_run(config, run, {.resume = true}, threads_)->train(run, {});
    EXPECT_EQ(read_text(run.best()), best);
    std::filesystem::remove(run.best());
    start_run(config, run, {.resume = true}, threads_)->train(run, {});
    EXPECT_EQ(read_text(run.best()), best);
  }
}

TEST_F(CheckTest, ARunIsNotResumedWithOtherData) {
  Config config = small_config("task", 10);
  config.train.keep_at = {30};
  Dataset data = load_dataset(experiment_settings(config, "").data);
  const Checkpoint last = Checkpoint::read(run_.last());
  ASSERT_TRUE(last.header().data);
  EXPECT_EQ(*last.header().data, fingerprints_of(data));
  study::Run(config, data, threads_).resume(last);
  data.train.labels[5] ^= 1;
  study::Run changed(config, data, threads_);
  EXPECT_THAT(error_of([&] { changed.resume(last); }), HasSubstr("the training examples have changed"));
  EXPECT_EQ(read_model(folder_ / "m.firn").data, last.header().data);
}

TEST_F(CheckTest, ARunIsResumedWhereverItsDataHaveMoved) {
  Config config = small_config("task", 10);
  config.train.keep_at = {30};
  const Dataset data = load_dataset(experiment_settings(config, "").data);
  config.data.file = "elsewhere/train.csv";
  study::Run(config, data, threads_).resume(Checkpoint::read(run_.last()));
  config.data.label_column = "other";
  study::Run changed(config, data, threads_);
  EXPECT_THAT(error_of([&] { changed.resume(Checkpoint::read(run_.last())); }), HasSubstr("data.label_column"));
}

}  // namespace
}  // namespace firn
