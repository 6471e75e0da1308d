// Tables of samples to predict, read by the schema of a model.
#pragma once

#include <string>

#include "firn/data/samples.h"

namespace firn::data {

bool takes_any_path(const std::string& path);

// A table with or without labels. Without a schema, position counts: a column of numbers for every feature.
SampleFile read_csv_samples(const std::string& path, const SampleNeeds& needs);

}  // namespace firn::data
