// Files that are written to /dev/stdout stay clean of what commands print.
#pragma once

#include <string>
#include <vector>

namespace firn::cli {

// The words of a command line. Where one of them is /dev/stdout, it becomes the name of another descriptor of the same
// file or pipe, and standard output goes to standard error from then on.
std::vector<std::string> free_standard_output(int argc, const char* const* argv);

}  // namespace firn::cli
