// Are data still those that a model was trained on? A reordered column or a renamed class would else change answers in
// silence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"
#include "firn/train/checkpoint.h"

namespace firn::study {

// Refuses data whose samples, columns or classes are others, in a sentence that names what differs. `name` is that of
// the model's file. A file that was written before models knew their columns is compared as far as it goes.
void check_same_data(const Dataset& data, const CircuitModel& model, const std::string& name);
void check_same_data(const Dataset& data, const CheckpointHeader& header, const std::string& name);

}  // namespace firn::study
