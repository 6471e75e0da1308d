// Reads the sentence of an expected Error.
#pragma once

#include <string>

#include "firn/base/error.h"

namespace firn {

// The message of the Error that `action` throws, or "no error".
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace firn
