// Arrays of samples to predict: a .npy of features, or a .npz with x and, if labels are known, y.
#pragma once

#include <string>

#include "firn/data/samples.h"

namespace firn::data {

bool is_npy_path(const std::string& path);

// Axes and values as in training: see npy.h. Where both orders of the axes are possible, the one that has the model's
// shape counts. The labels of x_new.npy are in y_new.npy, if that is there.
SampleFile read_npy_samples(const std::string& path, const SampleNeeds& needs);

}  // namespace firn::data
