// What a configuration may change when training goes on from a checkpoint.
#pragma once

#include "firn/study/config.h"
#include "firn/train/checkpoint.h"

namespace firn::study {

// A resumed run must end as if it had never stopped: only its length and what cannot change results may differ. Throws
// an Error that names the key otherwise.
void check_resumable(const Checkpoint& checkpoint, const Config& config);

// A fork may be trained in any other way, but data, encoding and model are those of the checkpoint.
void check_forkable(const Checkpoint& checkpoint, const Config& config);

}  // namespace firn::study
