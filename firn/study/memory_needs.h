// What training will need, estimated from the configuration alone, before anything is allocated.
#pragma once

#include "firn/base/shape.h"
#include "firn/study/config.h"

namespace firn::study {

// Of a value and of a sample once they are encoded.
std::size_t bits_per_value(const EncodeSettings& encode);
Shape encoded_shape(const EncodeSettings& encode, const Shape& sample);

// Bytes besides the data: logits, weights, scores and moments, wiring, gradient sums of every shard, and a workspace
// for every thread. Within a factor of two for the kinds that Firn brings; layers of other kinds do not count.
double training_bytes(const Config& config, const Shape& encoded_sample, int threads);

// Bytes of the logits alone, counted exactly for the kinds that Firn brings; layers of other kinds do not count.
double logit_bytes(const Config& config, const Shape& encoded_sample);

// An Error that names the size and the keys where the machine does not have as much.
void check_memory(const Config& config, const Shape& sample, int threads);

}  // namespace firn::study
