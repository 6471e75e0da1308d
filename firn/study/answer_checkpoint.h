// Asks both networks of a checkpoint, relaxed and discrete, about examples that they were not trained on.
#pragma once

#include <cstddef>
#include <string>

#include "firn/base/threads.h"
#include "firn/study/parts.h"
#include "firn/train/answers.h"
#include "firn/train/checkpoint.h"

namespace firn::study {

// At most `limit` examples of the test set, or of the validation set where there is no other, evenly spread. An Error
// where the data are missing or values are predicted.
Answers answer_checkpoint(const Checkpoint& checkpoint, const std::string& data_root, std::size_t limit,
                          Threads& threads, const Parts& parts = standard_parts());

}  // namespace firn::study
