// Memory is counted before it is taken: a sentence is better than a process that the kernel ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn {

// Bytes that this process can still get: what the machine has free, and what limits of the process, of the shell or of
// a container leave. The largest number where nobody says.
std::uint64_t available_memory();

// "1.5 GB"
std::string format_bytes(double bytes);

// An Error where `bytes` are more than there are. `what` needs them, and `keys` are what makes it smaller: "the
// network" and "model.width or model.layers".
void require_memory(double bytes, std::string_view what, std::string_view keys);

}  // namespace firn
