// What a run has reported so far, read from its folder.
#pragma once

#include <string>
#include <vector>

#include "firn/api/train.h"

namespace firn::api {

struct History {
  std::vector<TrainProgress> evaluations;
  std::vector<FreezeRecord> freezes;
};

// An Error where the folder holds no run, or names a damaged file.
History read_history(const std::string& folder);

}  // namespace firn::api
