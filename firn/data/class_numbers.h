// Classes that a file tells apart by integers, such as 0 to 9, -1 and 1, or 3 and 70000.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/data/dataset.h"

namespace firn::data {

// Gives every different training label a class, in ascending order; test labels must be among them. Values 0 to n - 1
// are class numbers already and need no names; otherwise each class is named after its value, so that gaps cost nothing
// and nothing is shifted in silence. `name` is for messages.
void assign_classes(Dataset& dataset, const std::vector<std::int64_t>& train, const std::vector<std::int64_t>& test,
                    const std::string& name);

}  // namespace firn::data
