// What a configuration leaves open, decided: by the data, or as a run decided it when it began.
#pragma once

#include <string>

#include "firn/study/config.h"

namespace firn::study {

// A configuration in which nothing is set yet: the family of the model, what goes with it and the way to split are
// open.
Config open_config(const Parts& parts = standard_parts());

bool is_open(const Config& config);

// By the data that the configuration is for. Well-known data sets get the family and the settings that they always had.
// Leaves a configuration alone that is not open.
Config settle(Config config, const Dataset& data);
// The same, reading the data where they must be looked at.
Config settle(Config config, const std::string& data_root);

// As another configuration has it, such as the one that a run to be resumed has stored.
Config settle_like(Config config, const Config& settled);

}  // namespace firn::study
