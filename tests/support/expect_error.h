// Runs something that must throw firn::Error, and hands back the message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "firn/base/error.h"

namespace firn {

template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no firn::Error was thrown";
  return {};
}

}  // namespace firn
