// What acts on a model while it trains: resampling and the price of area where they are enabled, then the freezing
// strategy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "firn/base/threads.h"
#include "firn/discretize/strategy.h"
#include "firn/study/config.h"
#include "firn/train/area.h"
#include "firn/train/experiment.h"
#include "firn/train/resample.h"

namespace firn::study {

class Policies {
 public:
  // All must outlive this.
  Policies(const Config& config, Experiment& experiment, Threads& threads);
  Policies(const Policies&) = delete;  // the strategy asks this object what was redrawn
  Policies& operator=(const Policies&) = delete;

  std::vector<Hook*> hooks();  // in the order in which they act
  Freezer& freezer() { return freezer_; }
  std::uint64_t take_resampled() { return resampler_ ? resampler_->take_redrawn() : 0; }

 private:
  std::optional<Resampler> resampler_;
  std::optional<AreaPrice> area_;
  Freezer freezer_;
  std::unique_ptr<Hook> strategy_;
};

}  // namespace firn::study
