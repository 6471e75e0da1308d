#include "firn/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "firn/base/threads.h"

namespace firn {
namespace {

using testing::HasSubstr;

TEST(Error, ABrokenPromiseThrowsWithConditionAndPlace) {
  const int apples = 2;
  FIRN_CHECK(apples == 2);
  try {
    FIRN_CHECK(apples == 3);
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("internal error"), HasSubstr("apples == 3"),
                                             HasSubstr("error_test.cc:"), HasSubstr("please report this")));
  }
}

// Whoever catches Error reports what the user can mend; a bug is not that.
TEST(Error, ABugIsNotTheOutsideWorld) {
  EXPECT_FALSE((std::is_base_of_v<Error, InternalError>));
}

TEST(Error, ABrokenPromiseInAThreadReachesTheCaller) {
  for (int count : {1, 2}) {
    Threads threads(count);
    EXPECT_THROW(threads.for_each(100, [](std::size_t i, std::size_t) { FIRN_CHECK(i != 57); }), InternalError);
  }
}

}  // namespace
}  // namespace firn
