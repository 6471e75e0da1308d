// Which instruction set the kernels run on.
#pragma once

#include <string>

namespace firn::kernels {

// The best of the compiled targets that this processor has, such as "AVX2".
std::string active_target();

}  // namespace firn::kernels
