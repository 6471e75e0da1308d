// What the terminal behind a stream can show.
#pragma once

#include <cstddef>
#include <cstdio>

namespace firn::cli {

struct Terminal {
  std::size_t columns = 100;  // of a file or pipe: a comfortable width
  bool colour = false;        // only on a real terminal, and never when NO_COLOR is set
};

Terminal inspect_terminal(std::FILE* stream);

}  // namespace firn::cli
