// Two ways to fail, both thrown: Error for the outside world, InternalError for broken promises between functions.
#pragma once

#include "firn/api/error.h"
#include "firn/base/rooms.h"

namespace firn {

// Throws InternalError with the condition that did not hold, its file and its line. What was being computed is lost and
// the objects that took part in it should not be used further, but the host lives on: a library never ends the program
// that called it. So FIRN_CHECK must not stand in a destructor, in a noexcept function, or in the body of a std::thread
// that lets exceptions escape.
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line);

}  // namespace firn

// A promise between functions: always checked, throws InternalError when it is broken.
#define FIRN_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::firn::check_failed(#condition, __FILE__, __LINE__))

// The same inside hot loops, in debug builds only.
#ifdef NDEBUG
#define FIRN_DCHECK(condition) static_cast<void>(0)
#else
#define FIRN_DCHECK(condition) FIRN_CHECK(condition)
#endif
