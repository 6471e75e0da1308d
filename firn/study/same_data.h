// Are data still those that a model was trained on? A reordered column or a renamed class would else change answers in
// silence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"
#include "firn/train/checkpoint.h"

namespace firn::study {

// Refuses data whose samples have another shape or other values than the encoder of `name` takes.
void check_same_samples(const Dataset& data, const Encoder& encoder, const std::string& name);

// Refuses data whose samples, columns or classes are others, in a sentence that names what differs. `name` is that of
// the model's file. A file that was written before models knew their columns is compared as far as it goes.
void check_same_data(const Dataset& data, const CircuitModel& model, const std::string& name);
void check_same_data(const Dataset& data, const CheckpointHeader& header, const std::string& name);

// What has changed, such as "training examples"; nothing where all is as it was, as far as `before` knows it.
std::optional<std::string_view> changed_part(const Fingerprints& now, const Fingerprints& before);
// Refuses data whose examples or labels have changed since the checkpoint was made, and another teacher.
void check_unchanged_data(const Fingerprints& data, const CheckpointHeader& header, const std::string& name);

// A sentence where the examples of a split are not those that `file` was trained or tested with; else nothing.
std::optional<std::string> warn_of_changed_split(const Dataset& data, bool is_test,
                                                 const std::optional<Fingerprints>& known, const std::string& file);

}  // namespace firn::study
