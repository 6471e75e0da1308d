// Pins the bits of training: a digest of every tensor in the checkpoint of a few small runs. A change that moves one
// either is a mistake or says why it moved. Sums over samples depend on the width of a vector, and so do the bits: each
// instruction set has a digest of its own, and a machine checks those it has.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>

#include "firn/base/safetensors.h"
#include "firn/data/md5.h"
#include "firn/data/source.h"
#include "firn/model/build.h"
#include "firn/study/run.h"
#include "tests/support/each_target.h"
#include "tests/support/small_config.h"
#include "tests/support/small_data.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using Digests = std::map<std::string, std::string>;  // by instruction set

// Noise, with a bright column for each class.
Dataset bright_columns(const Shape& shape, std::size_t classes, std::size_t count) {
  Dataset data;
  data.name = "columns";
  data.shape = shape;
  data.classes = classes;
  Matrix<std::uint8_t> images = random_bytes(count, shape.size(), 5);
  for (std::size_t i = 0; i < count; ++i) {
    data.train.labels.push_back(static_cast<std::uint16_t>(i % classes));
    for (std::size_t p = 0; p < shape.size(); ++p)
      if (p % shape.width * classes / shape.width == i % classes) images[i][p] |= 128;
  }
  data.train.bytes = std::move(images);
  return data;
}

Config short_config(const ModelSettings& model) {
  Config config;
  config.data.source = "memory";
  config.encode.thresholds = 2;
  config.model = model;
  config.train.steps = 12;
  config.train.batch = 48;
  config.train.shard = 16;
  config.train.eval_every = 6;
  config.train.optimizer.learning_rate = 0.05;
  return config;
}

std::string digest_of(const study::Run& run, const std::filesystem::path& checkpoint) {
  std::string bytes;
  const SafetensorsFile file = SafetensorsFile::read(checkpoint);
  for (const Tensor& tensor : file.tensors()) {
    bytes += tensor.name;
    bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  EXPECT_EQ(run.step(), run.config().train.steps);
  return md5_hex(bytes);
}

// `check` looks at the run when it is over: did what is pinned take place at all?
template <class Check>
void expect_digests(const Config& config, const Dataset& data, const Digests& pinned, const Check& check) {
  each_target([&](const char* target) {
    const TemporaryFolder folder;
    Threads threads(2);
    study::Run run(config, data, threads);
    const RunFolder run_folder(folder / "run");
    std::filesystem::create_directories(run_folder.path());
    ASSERT_TRUE(run.train(TrainObserver{}));
    run.save(run_folder);
    check(run);
    const std::string digest = digest_of(run, run_folder.last());
    if (const auto found = pinned.find(target); found != pinned.end())
      EXPECT_EQ(digest, found->second) << target;
    else
      std::cout << "no digest is pinned for " << target << "; here it is " << digest << '\n';
  });
}

std::size_t frozen_neurons(const study::Run& run) {
  std::size_t frozen = 0;
  for (const Neurons* group : std::as_const(*run.experiment().model).neurons()) frozen += group->frozen_count();
  return frozen;
}

TEST(TrainingDigest, TreeLogicNetWithTaskFreeze) {
  Config config = short_config({.family = "treelogicnet", .width = 2});
  config.freeze.strategy = "task";
  config.freeze.start = 4;
  config.freeze.task.interval = 2;
  config.freeze.task.half_life = 2;
  const Digests pinned = {{"AVX2", "f8645b0ace3a318e06b30b9d4b3859bc"},
                          {"SSE4", "956d2ddc457b62afbf8538cf79c4ed7a"},
                          {"SCALAR", "9ec102f582e778f159a003ef9555e6b7"}};
  expect_digests(config, bright_columns({3, 32, 32}, 10, 300), pinned,
                 [](const study::Run& run) { EXPECT_GT(frozen_neurons(run), 0u); });
}

// Five shards, which three or fewer could not tell from a plain sequence: here the tree over them is pinned.
TEST(TrainingDigest, FiveShards) {
  Config config = small_config("final-argmax", 0);
  config.train.batch = 80;
  const Digests pinned = {{"AVX2", "eb8fc42c4d68040843e7f6d0db41e7b0"},
                          {"SSE4", "1fc80269cfd6849c9e3858ee08a97bd6"},
                          {"SCALAR", "df1f2bcf3af574d892a24c79e118cccc"}};
  expect_digests(config, load_dataset(config.data), pinned, [](const study::Run&) {});
}

TEST(TrainingDigest, CompactWithResampling) {
  Config config = short_config({.family = "compact", .width = 4, .init = "gaussian"});
  config.resample.enabled = true;
  config.resample.patience = 3;
  config.resample.tolerance = 0.05;
  const Digests pinned = {{"AVX2", "ea3a06d7c1d5c187862890206067d1d4"},
                          {"SSE4", "ea30bfc629d98ed8a5000b272d587f80"},
                          {"SCALAR", "73cc7a373f43882b9c0bd48da727abbc"}};
  const Dataset data = bright_columns({1, 28, 28}, 10, 300);
  const auto fresh = build_model(config.model, {2, 28, 28}, 10, config.seed);
  expect_digests(config, data, pinned, [&](const study::Run& run) {
    const Model& model = *run.experiment().model;
    EXPECT_NE(model.wiring(0).tap_place, fresh->wiring(0).tap_place);
    EXPECT_NE(model.wiring(4).tap_channel, fresh->wiring(4).tap_channel);
  });
}

TEST(TrainingDigest, DenseOnBits) {
  Config config = small_config("hard-st", 5);
  config.train.optimizer.name = "adamw";
  config.train.schedule.name = "cosine";
  config.train.steps = 30;
  const Digests pinned = {{"AVX2", "67e3cc3fae9a94fcf1a0e481d9a175d9"},
                          {"SSE4", "2086f8312029ecab756ae56bb104fe09"},
                          {"SCALAR", "8b2c81e4be34a6810dac26906cc500c9"}};
  expect_digests(config, load_dataset(config.data), pinned, [](const study::Run&) {});
}

}  // namespace
}  // namespace firn
