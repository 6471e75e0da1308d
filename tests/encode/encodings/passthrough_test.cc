#include "firn/encode/encodings/passthrough.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

std::string refusal(const Dataset& data) {
  return error_or_none([&] { fit_passthrough({data, first_indices(data.train.count())}, {}); });
}

TEST(Passthrough, TakesBinaryData) {
  EXPECT_EQ(refusal(byte_data({2, 1, 1}, {{0, 255}, {255, 255}})), kNoError);
  EXPECT_EQ(refusal(byte_data({2, 1, 1}, {{0, 1}, {1, 1}})), kNoError);
  EXPECT_EQ(refusal(real_data({2, 1, 1}, {{0, 1}, {1, 1}})), kNoError);
  EXPECT_EQ(refusal(byte_data({2, 1, 1}, {{0, 0}})), kNoError);
}

TEST(Passthrough, RefusesAnythingElseAndNamesTheValue) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal(byte_data({2, 1, 1}, {{0, 255}, {0, 128}})),
              HasSubstr("toy: training example 1 has the value 128, but the encoding \"passthrough\" is for binary"));
  EXPECT_THAT(refusal(byte_data({2, 1, 1}, {{0, 255}, {0, 1}})), HasSubstr("example 1 has the value 1,"));
  EXPECT_THAT(refusal(real_data({2, 1, 1}, {{0, 0.5f}})), HasSubstr("has the value 0.5"));
  EXPECT_THAT(refusal(real_data({2, 1, 1}, {{0, 255}})), HasSubstr("has the value 255"));

  Dataset data = byte_data({2, 1, 1}, {{0, 255}});
  data.test.bytes = matrix_of<std::uint8_t>({{0, 3}});
  EXPECT_THAT(refusal(data), HasSubstr("test example 0 has the value 3"));
}

}  // namespace
}  // namespace firn
