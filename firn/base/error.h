// Two ways to fail: Error for the outside world, FIRN_CHECK for broken contracts between functions.
#pragma once

#include <stdexcept>
#include <string>

namespace firn {

// Something outside the program is wrong: a file, a configuration, data. The message is one sentence that names the
// thing and the way out; the command line prints it and exits with code 3.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace firn

// A broken contract between functions is a bug in Firn: always checked, ends the program with file and line.
#define FIRN_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::firn::check_failed(#condition, __FILE__, __LINE__))

// The same inside hot loops, in debug builds only.
#ifdef NDEBUG
#define FIRN_DCHECK(condition) static_cast<void>(0)
#else
#define FIRN_DCHECK(condition) FIRN_CHECK(condition)
#endif
