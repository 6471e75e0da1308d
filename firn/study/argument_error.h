// What the caller asked for is wrong, as opposed to a file or data: an override, a name, a combination of requests.
#pragma once

#include "firn/base/error.h"

namespace firn::study {

class ArgumentError : public Error {
 public:
  using Error::Error;
};

}  // namespace firn::study
