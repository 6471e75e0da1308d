#include "firn/base/sealed_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json kObject = {{"name", "a\n  \"checksum\": \""}, {"values", {0.5, 2, nullptr}}};

json open(std::string_view text) {
  return open_sealed_json(text, "r.json", "write it again");
}

TEST(SealedJson, GivesBackWhatItWasGiven) {
  const std::string text = seal_json(kObject, "firn test 1");
  EXPECT_TRUE(is_sealed_json(text));
  EXPECT_EQ(open(text), kObject);
  EXPECT_EQ(json::parse(text)["format"], "firn test 1");
}

TEST(SealedJson, EveryFlippedBitIsRefused) {
  const std::string whole = seal_json(kObject, "firn test 1");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(error_of([&] { open(damaged); }), HasSubstr("r.json")) << bit;
  }
}

TEST(SealedJson, EveryShorterTextIsRefused) {
  const std::string whole = seal_json(kObject, "firn test 1");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(error_of([&] { open(whole.substr(0, length)); }), HasSubstr("write it again")) << length;
}

TEST(SealedJson, ATextWithoutAChecksumIsTakenAsItIs) {
  EXPECT_FALSE(is_sealed_json(kObject.dump(2)));
  EXPECT_EQ(open(kObject.dump(2)), kObject);
  EXPECT_EQ(open(kObject.dump()), kObject);
}

TEST(SealedJson, ATextThatAnotherProgramHasRewrittenIsRefused) {
  const json sealed = json::parse(seal_json(kObject, "firn test 1"));
  EXPECT_THAT(error_of([&] { open(sealed.dump()); }), HasSubstr("was changed after it was written"));
}

}  // namespace
}  // namespace firn
