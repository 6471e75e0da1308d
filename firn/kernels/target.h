// Which instruction set the kernels run on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firn::kernels {

// The one that is used: the best of the compiled targets that this processor has, such as "AVX2", unless another one
// was chosen.
std::string active_target();

// The compiled targets that this processor has, the best one first.
std::vector<std::string> usable_targets();

// Uses another target than the best one, for the whole process: a program that wants this says so before it computes
// anything. Throws an Error where it is not one of the usable targets.
void choose_target(std::string_view name);

}  // namespace firn::kernels
