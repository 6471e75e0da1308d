// Runs something that must throw firn::Error, and hands back the message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "firn/base/error.h"

namespace firn {

inline constexpr const char* kNoError = "no error";

// For what may or may not be refused.
template <class Body>
std::string error_or_none(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return kNoError;
}

template <class Body>
std::string error_of(Body&& body) {
  const std::string error = error_or_none(body);
  if (error == kNoError) ADD_FAILURE() << "no firn::Error was thrown";
  return error;
}

}  // namespace firn
