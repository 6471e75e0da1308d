// The command line itself is wrong: exit code 2, where other errors of the outside world give 3.
#pragma once

#include "firn/base/error.h"

namespace firn::cli {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace firn::cli
