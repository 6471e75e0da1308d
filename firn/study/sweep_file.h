// A sweep as a TOML file describes it: a base configuration, changes for all runs, and a grid of values to combine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/study/prefix.h"

namespace firn::study {

// One dimension of the grid: a key, or "variant" for named sets of keys.
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;  // as people read them
};

// A point of the grid and the run that stands for it. Points that differ only in what has no effect share a run.
struct SweepPoint {
  std::vector<std::size_t> values;  // one for each axis
  std::size_t run;
};

struct SweepFile {
  std::string name;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;
  std::vector<SweepRun> runs;
};

SweepFile load_sweep(const std::filesystem::path& file, const Parts& parts = standard_parts());

}  // namespace firn::study
