#include "firn/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "firn/base/error.h"
#include "firn/cli/command.h"
#include "firn/cli/usage_error.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int code;
  std::string printed;  // to standard error
};

Outcome outcome_of(const std::function<int()>& body) {
  testing::internal::CaptureStderr();
  const int code = run_guarded(body);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(App, EveryFailureIsOneSentenceAndACode) {
  EXPECT_EQ(outcome_of([] { return kCheckFailed; }).code, kCheckFailed);

  const Outcome usage = outcome_of([]() -> int { throw UsageError("no such thing"); });
  EXPECT_EQ(usage.code, 2);
  EXPECT_EQ(usage.printed, "firn: no such thing\n");

  const Outcome outside = outcome_of([]() -> int { throw Error("the disk is full"); });
  EXPECT_EQ(outside.code, 3);
  EXPECT_EQ(outside.printed, "firn: the disk is full\n");

  EXPECT_EQ(outcome_of([]() -> int { throw std::bad_alloc(); }).code, 3);
}

TEST(App, NamesInSentencesDoNotReachTheTerminalAsCommands) {
  EXPECT_EQ(outcome_of([]() -> int { throw Error("no class \x1b[2J;\nname another"); }).printed,
            "firn: no class \ufffd[2J;\nname another\n");
}

TEST(App, ABugIsReportedInsteadOfEndingTheProgram) {
  const Outcome check = outcome_of([]() -> int {
    FIRN_CHECK(1 > 2);
    return kDone;
  });
  EXPECT_EQ(check.code, 3);
  EXPECT_THAT(check.printed, AllOf(StartsWith("firn: internal error: 1 > 2"), HasSubstr("please report")));

  const Outcome other = outcome_of([]() -> int { throw std::out_of_range("at"); });
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.printed, AllOf(StartsWith("firn: internal error: at"), HasSubstr("please report")));
}

}  // namespace
}  // namespace firn
