// Images to predict: one PNG, or a folder of them, with subfolders named after classes where labels are known.
#pragma once

#include <string>

#include "firn/data/samples.h"

namespace firn::data {

bool is_image_path(const std::string& path);

// Samples are called by their files. An image in a subfolder has the label of that name; subfolders that are no class
// are refused. Images outside of subfolders have no label.
SampleFile read_image_samples(const std::string& path, const SampleNeeds& needs);

}  // namespace firn::data
