#include "firn/study/memory_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/study/config_text.h"
#include "firn/study/model_info.h"
#include "firn/study/preset.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"

namespace firn {
namespace {

// Matrices of the model, which can be counted; wires, what is derived from them and the program come on top. A journey
// compares the estimate with what the whole process takes.
TEST(MemoryNeeds, AreNotBelowThoseOfTheModel) {
  const auto compare = [](const Config& config, const std::string& name) {
    const double megabytes = info_of(config, "").training_megabytes;
    const double estimate = training_bytes(config, encoded_sample_shape(config, ""), 2) / (1 << 20);
    EXPECT_GT(estimate, megabytes) << name;
    EXPECT_LT(estimate, megabytes * 1.5 + 20) << name;
  };
  for (const char* preset : {"treelogicnet-xs", "compact-s", "dense-cifar10", "treelogicnet-mnist-s"})
    compare(load_named_config(preset, {}), preset);
  for (const char* layers : {"1", "2", "5"}) {
    const Override overrides[] = {{"model.width", "20000", "test"}, {"model.layers", layers, "test"}};
    compare(load_named_config("dense-cifar10", overrides), layers);
  }
}

TEST(MemoryNeeds, WhatNoMachineHasIsRefusedWithItsKeys) {
  Config config = small_config("final-argmax", 0);
  check_memory(config, {12, 1, 1}, 2);
  config.model.width = 60'000'000;
  config.model.layers = 1000;
  EXPECT_THAT(error_of([&] {
                check_memory(config, {12, 1, 1}, 2);
              }),
              testing::AllOf(testing::HasSubstr(" TB of memory"), testing::HasSubstr("model.width or model.layers")));
}

// The layers are written out before their memory is counted, so that their number must be sane by itself.
TEST(MemoryNeeds, LayersThatNobodyCouldWriteOutAreRefusedWithTheirKey) {
  for (const char* layers : {"1000000000000000000", "300000000", "65536", "0"}) {
    const Override overrides[] = {{"model.layers", layers, "test"}};
    EXPECT_THAT(error_of([&] { parse_config("", "c.toml", overrides); }), testing::HasSubstr("model.layers must be"));
  }
  const Override most[] = {{"model.layers", "65535", "test"}};
  EXPECT_EQ(parse_config("", "c.toml", most).model.layers, 65535u);
}

TEST(MemoryNeeds, LogitsAreThoseOfTheModel) {
  for (const char* preset : {"treelogicnet-xs", "compact-s", "dense-cifar10"}) {
    const Config config = load_named_config(preset, {});
    const std::size_t logits = info_of(config, "").logits;
    EXPECT_EQ(logit_bytes(config, encoded_sample_shape(config, "")), static_cast<double>(logits * sizeof(float)))
        << preset;
  }
}

}  // namespace
}  // namespace firn
