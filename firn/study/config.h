// The configuration of a run: the settings of every room, in one place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/data/settings.h"
#include "firn/discretize/settings.h"
#include "firn/encode/encoding.h"
#include "firn/network/families.h"
#include "firn/study/parts.h"
#include "firn/train/settings.h"

namespace firn::study {

struct Config {
  std::string name;
  std::uint64_t seed = 1;
  DataSettings data;
  EncodeSettings encode;
  ModelSettings model;
  TrainSettings train;
  ResampleSettings resample;
  AreaSettings area;
  FreezeSettings freeze;

  std::vector<std::string> open = {};  // keys that the data decide, while model.family is "auto": see settle.h

  const Parts* parts = &standard_parts();  // what names in the settings refer to; must outlive whatever uses this
};

}  // namespace firn::study
