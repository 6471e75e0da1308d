// The teacher that a configuration names, ready for training.
#pragma once

#include <optional>

#include "firn/base/threads.h"
#include "firn/study/config.h"
#include "firn/train/experiment.h"

namespace firn::study {

// What train.teacher names: logits in an array, or those of the relaxed network in a checkpoint, which must have been
// trained on data of the same shape and classes. Nothing where there is no teacher.
std::optional<training::Teacher> load_teacher(const Config& config, const Experiment& experiment, Threads& threads);

}  // namespace firn::study
