// The files inside an archive (tar, gzipped tar, zip) that is in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace firn::data {

// Calls `take` with the path and the contents of every regular file for which `want` is true. Refuses a damaged or cut
// archive, and files larger than `limit`. Nothing is written to disk, so paths in the archive cannot do harm.
void read_archive(std::string_view bytes, const std::string& name, std::size_t limit,
                  const std::function<bool(std::string_view path)>& want,
                  const std::function<void(std::string_view path, std::string contents)>& take);

}  // namespace firn::data
