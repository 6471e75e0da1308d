// What training will need, estimated from the configuration alone, before anything is allocated.
#pragma once

#include "firn/base/shape.h"
#include "firn/study/config.h"

namespace firn::study {

// Of a value and of a sample once they are encoded.
std::size_t bits_per_value(const EncodeSettings& encode);
Shape encoded_shape(const EncodeSettings& encode, const Shape& sample);

// Bytes besides the data at the peak, which is where a run ends and the test set is evaluated: logits, weights, scores
// and moments, wiring, gradient sums of every shard, workspaces of training and of two evaluators for every thread, the
// checkpoint that is read back, and the program itself. Not below what the kinds that Firn brings need, and up to 1.3
// times as much; layers of other kinds do not count.
double training_bytes(const Config& config, const Shape& encoded_sample, int threads);

// Bytes of the logits alone, counted exactly for the kinds that Firn brings; layers of other kinds do not count.
double logit_bytes(const Config& config, const Shape& encoded_sample);

// An Error that names the size and the keys where the machine does not have as much.
void check_memory(const Config& config, const Shape& sample, int threads);

}  // namespace firn::study
