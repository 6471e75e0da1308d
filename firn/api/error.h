// What Firn throws.
#pragma once

#include <stdexcept>

namespace firn {

// Something outside Firn is wrong: a file, a configuration, data, an argument of the caller. The message is one
// sentence that names the thing and the way out.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A promise inside Firn is broken, which is a bug in Firn. The message says where.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace firn
