#include "firn/study/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/file.h"
#include "firn/base/safetensors.h"
#include "firn/study/argument_error.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StartTest : public ::testing::Test {
 protected:
  static TrainObserver deaf() {
    return {.on_step = [](std::uint64_t, double, std::optional<double>) {}, .on_metrics = [](const Metrics&) {}};
  }

  RunFolder train(const std::string& name, const Config& config, const StartParams& params = {}) {
    const RunFolder folder(folder_ / name);
    EXPECT_TRUE(start_run(config, folder, params, threads_)->train(folder, deaf()));
    return folder;
  }

  // A run without a strategy, kept after step 24.
  Checkpoint source() {
    Config config = small_config("final-argmax", 0);
    config.train.keep_at = {24};
    return Checkpoint::read(train("source", config).kept(24));
  }

  std::string refusal(const Config& config, const Checkpoint& from) {
    return error_of([&] { start_run(config, RunFolder(folder_ / "refused"), {.from = &from}, threads_); });
  }

  TemporaryFolder folder_;
  Threads threads_{1};
};

TEST_F(StartTest, WhatIsRefusedLeavesNoFolder) {
  Config config = small_config("global", 25);
  config.train.teacher.file = "missing.safetensors";
  for (const char* name : {"refused", "several/new/folders", "slash/"}) {
    EXPECT_NE(error_of([&] { start_run(config, RunFolder(folder_ / name), {}, threads_); }), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << name;
  }
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_NE(error_of([&] { start_run(config, RunFolder(folder_ / "empty"), {}, threads_); }), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "empty")) << "it was there before";
}

TEST_F(StartTest, AFolderThatCannotBeMadeIsNamedAndLeavesNoOther) {
  write_file(folder_ / "file", "");
  const Config config = small_config("global", 25);
  EXPECT_THAT(error_of([&] { start_run(config, RunFolder(folder_ / "file/run"), {}, threads_); }),
              AllOf(HasSubstr("cannot make the folder"), HasSubstr("file/run")));
  const std::string long_name(300, 'a');
  EXPECT_THAT(error_of([&] { start_run(config, RunFolder(folder_ / "new" / long_name), {}, threads_); }),
              HasSubstr("cannot make the folder"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(StartTest, AForkEndsInTheSameBytesAsARunOfItsOwn) {
  const Checkpoint from = source();
  const Config config = small_config("global", 25);
  const RunFolder whole = train("whole", config), fork = train("fork", config, {.from = &from});
  EXPECT_EQ(read_text(whole.last()), read_text(fork.last()));
  EXPECT_EQ(read_text(whole.best()), read_text(fork.best()));
  EXPECT_EQ(read_text(whole.freezes()), read_text(fork.freezes()));
}

TEST_F(StartTest, AForkGoesOnAfterItWasInterruptedBeforeItsFirstStep) {
  const Checkpoint from = source();
  const Config config = small_config("global", 25);
  const RunFolder folder(folder_ / "fork");
  start_run(config, folder, {.from = &from}, threads_);  // nothing is trained
  const auto resumed = start_run(config, folder, {.resume = true}, threads_);
  EXPECT_EQ(resumed->step(), 24u);
  ASSERT_TRUE(resumed->train(folder, deaf()));
  EXPECT_EQ(read_text(folder.last()), read_text(train("whole", config).last()));
}

TEST_F(StartTest, AForkMayTrainInAnyOtherWay) {
  const Checkpoint from = source();
  Config config = small_config("gumbel-st", 25);
  config.train.steps = 40;
  const std::string first = read_text(train("one", config, {.from = &from}).last());
  config.freeze.seed = 7;
  EXPECT_NE(read_text(train("two", config, {.from = &from}).last()), first);
  config.seed = 9;
  config.train.batch = 16;
  config.train.optimizer.learning_rate = 0.01;
  EXPECT_NO_THROW(train("three", config, {.from = &from}));
}

TEST_F(StartTest, TheBestStepOfAForkIsOneOfItsOwn) {
  Config config = small_config("final-argmax", 0);
  config.train.keep_at = {24};
  const RunFolder before = train("source", config);
  ASSERT_TRUE(std::filesystem::exists(before.best()));
  config.train.optimizer.learning_rate = 0;  // nothing is learned any more, so that nothing gets better
  const Checkpoint from = Checkpoint::read(before.kept(24));
  const RunFolder fork = train("fork", config, {.from = &from});
  EXPECT_EQ(Checkpoint::read(fork.best()).header().step, 60u);  // the later of two equal ones
}

TEST_F(StartTest, AForkKeepsDataEncodingAndModel) {
  const Checkpoint from = source();
  Config config = small_config("global", 25);
  config.data.synthetic.seed = 8;
  EXPECT_THAT(refusal(config, from), AllOf(HasSubstr("data.synthetic.seed"), HasSubstr("cannot change to 8")));
  config = small_config("global", 25);
  config.encode.thresholds = 5;
  EXPECT_THAT(refusal(config, from), HasSubstr("encode.thresholds"));
  config = small_config("global", 25);
  config.model.width = 32;
  EXPECT_THAT(refusal(config, from), HasSubstr("model.width = 64"));
  config = small_config("global", 25);
  config.train.loss = "bce";
  EXPECT_THAT(refusal(config, from), HasSubstr("train.loss = \"bce\""));
  config = small_config("global", 25);
  config.train.steps = 20;
  EXPECT_THAT(refusal(config, from), HasSubstr("after step 24 already"));
  EXPECT_THAT(refusal(small_config("global", 24), from), AllOf(HasSubstr("freeze.start"), HasSubstr("25 or later")));
}

TEST_F(StartTest, TheConfigurationOfAForkIsThatOfTheCheckpointButForWhatIsSet) {
  const Checkpoint from = source();
  const Override overrides[] = {{"freeze.strategy", "global", "here"}, {"freeze.start", "30", "here"}};
  const Config config = config_of(from, overrides);
  EXPECT_EQ(config.train.batch, 32u);
  EXPECT_EQ(config.freeze.strategy, "global");
  EXPECT_GT(Checkpoint::read(train("fork", config, {.from = &from}).last()).header().step, 24u);
}

TEST_F(StartTest, ARunIsResumedOnlyWithWhatItWasMadeWith) {
  Config config = small_config("task", 10);
  train("run", config);
  const auto resume = [&](const Config& c) { start_run(c, RunFolder(folder_ / "run"), {.resume = true}, threads_); };
  config.train.steps = 80;
  config.train.eval_every = 10;
  EXPECT_NO_THROW(resume(config));
  config.train.batch = 16;
  EXPECT_THAT(error_of([&] { resume(config); }), HasSubstr("train.batch was 32 and is now 16"));
}

TEST_F(StartTest, ARunIsNotResumedWithAnotherTeacher) {
  Config config = small_config("final-argmax", 0);
  config.train.keep_at = {24};
  const RunFolder teacher = train("teacher", config);
  EXPECT_FALSE(SafetensorsFile::read(teacher.last()).metadata().contains("data.teacher"));
  config.train.keep_at.clear();
  config.train.teacher.file = teacher.last().string();
  const RunFolder run = train("run", config);
  start_run(config, run, {.resume = true}, threads_);
  std::filesystem::copy_file(teacher.kept(24), teacher.last(), std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(error_of([&] { start_run(config, run, {.resume = true}, threads_); }),
              AllOf(HasSubstr("contents of the teacher's file have changed since"), HasSubstr(run.last().string())));
  CheckpointHeader earlier = Checkpoint::read(run.last()).header();
  const Fingerprints now = {earlier.data->train, earlier.data->test, "of another one"};
  EXPECT_THAT(error_of([&] { check_unchanged_data(now, earlier, "it"); }), HasSubstr("teacher"));
  earlier.data->teacher.clear();  // as before checkpoints knew it
  EXPECT_NO_THROW(check_unchanged_data(now, earlier, "it"));
}

TEST_F(StartTest, ARunThatIsMadeLongerHasNoResultUntilItIsThere) {
  Config config = small_config("task", 10);
  const RunFolder folder(folder_ / "run");
  {
    const auto run = start_run(config, folder, {}, threads_);
    ASSERT_TRUE(run->train(folder, deaf()));
    ASSERT_TRUE(run->test(folder));
  }
  start_run(config, folder, {.resume = true}, threads_);
  EXPECT_TRUE(std::filesystem::exists(folder.result())) << "nothing is left to do";
  config.train.steps = 80;
  start_run(config, folder, {.resume = true}, threads_);
  EXPECT_FALSE(std::filesystem::exists(folder.result())) << "60 steps are not what this run is about any more";
}

TEST_F(StartTest, AStrategyThatDependsOnTheLengthCannotBeMadeLonger) {
  Config config = small_config("annealed", 10);
  train("run", config);
  config.train.steps = 80;
  EXPECT_THAT(error_of([&] { start_run(config, RunFolder(folder_ / "run"), {.resume = true}, threads_); }),
              HasSubstr("train.steps was 60 and is now 80"));
}

TEST_F(StartTest, AFolderThatHoldsARunIsRefusedUnlessItIsResumed) {
  const Config config = small_config("task", 10);
  train("run", config);
  EXPECT_THAT(error_of([&] { start_run(config, RunFolder(folder_ / "run"), {}, threads_); }),
              AllOf(HasSubstr("already holds a run"), Not(HasSubstr("--"))));
}

TEST_F(StartTest, AConfigurationOfTheUserIsNotReplaced) {
  const Config config = small_config("task", 10);
  const RunFolder folder(folder_ / "run");
  std::filesystem::create_directories(folder.path());
  const auto refusal = [&] { return error_of([&] { start_run(config, folder, {}, threads_); }); };
  for (const std::string& text : {std::string("# mine\n") + to_toml(config), std::string("no TOML")}) {
    write_file(folder.config(), text);
    EXPECT_THAT(refusal(), HasSubstr("run/config.toml was not written by a run"));
    EXPECT_EQ(read_text(folder.config()), text);
  }
  write_file(folder_ / "elsewhere", to_toml(config));
  std::filesystem::remove(folder.config());
  std::filesystem::create_symlink(folder_ / "elsewhere", folder.config());
  EXPECT_THAT(refusal(), HasSubstr("run/config.toml was not written by a run"));
}

TEST_F(StartTest, ARunWithoutACheckpointIsResumedWithWhatItsConfigurationBecame) {
  Config config = small_config("task", 10);
  const RunFolder folder(folder_ / "run");
  std::filesystem::create_directories(folder.path());
  write_file(folder.config(), "# mine\n" + to_toml(config));
  start_run(config, folder, {.config_file = folder.config(), .resume = true}, threads_);
  EXPECT_EQ(read_text(folder.config()), to_toml(config));
  start_run(config, folder, {.config_file = folder.config()}, threads_);  // the same as it stands
  EXPECT_EQ(read_text(folder.config()), to_toml(config));
}

TEST_F(StartTest, AConfigurationThatARunHasLeftIsNobodysOwn) {
  Config config = small_config("task", 10);
  config.train.optimizer.learning_rate = 0.1 + 0.2;
  const RunFolder folder(folder_ / "run");
  start_run(config, folder, {}, threads_);  // nothing is trained
  ASSERT_FALSE(folder.holds_run());
  EXPECT_NO_THROW(start_run(config, folder, {}, threads_));
  EXPECT_NO_THROW(start_run(config, folder, {.resume = true}, threads_));
  EXPECT_NO_THROW(start_run(config, folder, {.config_file = folder.config()}, threads_));
}

TEST_F(StartTest, ARunReplacesNoneOfItsData) {
  Config config = small_config("task", 10);
  config.data.source = "csv";
  config.data.file = "freezes.csv";
  write_file(folder_ / "freezes.csv", "a,b\n1,x\n2,y\n");
  EXPECT_THROW(start_run(config, RunFolder(folder_.path()), {.data_root = folder_.path().string()}, threads_),
               study::ArgumentError);
}

TEST_F(StartTest, SettingsThatDoNotGoTogetherAreRefusedWhoeverMadeThem) {
  Config config = small_config("task", 10);
  config.train.shard = 20;
  EXPECT_THAT(error_of([&] { study::Run(config, "", threads_); }),
              HasSubstr("train.shard = 20 is not a multiple of 16"));
}

// Before the data are looked for, which are not there.
TEST_F(StartTest, ModelSettingsAreCheckedFirst) {
  Config config = small_config("task", 10);
  config.data.source = "cifar10";
  config.model.layer = {{"dense", {}}};
  EXPECT_THAT(error_of([&] { study::Run(config, folder_ / "nothing", threads_); }), HasSubstr("remove one of the two"));
}

}  // namespace
}  // namespace firn
