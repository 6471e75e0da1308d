// A configuration that trains in a moment: a dense network that learns what a small circuit says.
#pragma once

#include <string>

#include "firn/study/config.h"

namespace firn {

inline Config small_config(const std::string& strategy, std::uint64_t start) {
  Config config;
  config.data.source = "teacher";
  config.data.synthetic.inputs = 12;
  config.data.synthetic.examples = 600;
  config.encode.encoding = "passthrough";
  config.model = {.family = "dense", .width = 64, .layers = 3};
  config.train.steps = 60;
  config.train.batch = 32;
  config.train.shard = 16;
  config.train.eval_every = 20;
  config.train.checkpoint_every = 7;
  config.train.optimizer.learning_rate = 0.05;
  config.freeze.strategy = strategy;
  config.freeze.start = start;
  config.freeze.task.interval = 4;
  config.freeze.task.half_life = 8;
  config.freeze.entropy.patience = 3;
  config.freeze.entropy.tolerance = 0.01;
  return config;
}

}  // namespace firn
