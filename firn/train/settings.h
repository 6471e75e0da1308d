// What a training run is, apart from data and model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/value.h"
#include "firn/train/optimizer.h"
#include "firn/train/schedule.h"
#include "firn/train/teacher.h"

namespace firn::training {

struct TrainSettings {
  std::uint64_t steps = 20000;
  std::size_t batch = 128;
  std::size_t shard = 32;  // samples that go through the network together; part of the result's last bits
  std::string loss = "cross-entropy";
  TeacherSettings teacher;
  NumbersOrWord class_weights = {};  // one per class, or "balanced"; empty: every example counts 1
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  double temperature = 1;  // of the gate softmax
  std::uint64_t eval_every = 2000;
  std::uint64_t patience = 0;  // evaluations without a smaller discrete loss after which training stops; 0: never
  std::uint64_t checkpoint_every = 2000;  // steps; 0: only by time and at the end
  double checkpoint_minutes = 10;         // 0: only by steps and at the end
  std::vector<std::uint64_t> keep_at;     // steps whose checkpoints stay permanently
};

// Throws an Error for what no single value shows: numbers that do not go together.
void check_settings(const TrainSettings& settings);

// Connection resampling of slot layers.
struct ResampleSettings {
  bool enabled = false;
  std::uint64_t patience = 100;
  std::uint64_t until = 0;               // last step; 0: to the end
  std::string after_start = "continue";  // or "stop": with the freeze start, unless the strategy never acts
  double tolerance = 5e-4;
  double ema = 0.99;
  double strong = 0.95, weak = 0.40;  // strict thresholds on the largest weight
};

// A price on area: see area.h.
struct AreaSettings {
  double weight = 0;           // of the mean expected area of a gate, in the loss; 0: none
  std::string target = "and";  // a name in area_targets()
};

}  // namespace firn::training
