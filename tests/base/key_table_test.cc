#include "firn/base/key_table.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

struct Settings {
  bool flag = false;
  int count = 4;
  std::size_t size = 2;
  float rate = 0.1f;
  std::string mode = "soft";
  std::vector<std::size_t> keep_at;
  std::vector<std::string> hooks = {"metrics"};
};

class KeyTableTest : public testing::Test {
 protected:
  KeyTableTest() {
    table_.section("", "");
    table_.add("flag", settings_.flag, "A flag.");
    table_.section("train", "Training.");
    table_.add("train.count", settings_.count, "A count.", between(-4, 9));
    table_.add("train.size", settings_.size, "A size.");
    table_.add("train.rate", settings_.rate, "A rate.", at_least(0));
    table_.add("train.mode", settings_.mode, "A mode.", one_of({"soft", "hard"}));
    table_.section("train.more", "More.");
    table_.add("train.more.keep_at", settings_.keep_at, "Steps.", at_least(1));
    table_.add("train.more.hooks", settings_.hooks, "Hooks.");
  }
  bool set(std::string_view name, const Value& value) { return table_.find(name)->set(value); }
  static Value integer(std::int64_t v) { return v; }

  Settings settings_;
  KeyTable table_;
};

TEST_F(KeyTableTest, WritesToTheSettings) {
  EXPECT_TRUE(set("flag", true));
  EXPECT_TRUE(set("train.count", integer(9)));
  EXPECT_TRUE(set("train.rate", integer(1)));  // an integer is a number
  EXPECT_TRUE(set("train.mode", std::string("hard")));
  EXPECT_TRUE(set("train.more.keep_at", std::vector<Scalar>{std::int64_t{10000}, std::int64_t{25000}}));
  EXPECT_TRUE(set("train.more.hooks", std::vector<Scalar>{}));
  EXPECT_TRUE(settings_.flag);
  EXPECT_EQ(settings_.count, 9);
  EXPECT_EQ(settings_.rate, 1.f);
  EXPECT_EQ(settings_.mode, "hard");
  EXPECT_EQ(settings_.keep_at, (std::vector<std::size_t>{10000, 25000}));
  EXPECT_TRUE(settings_.hooks.empty());
}

TEST_F(KeyTableTest, RefusesAndKeepsTheOldValue) {
  EXPECT_FALSE(set("flag", integer(1)));
  EXPECT_FALSE(set("train.count", integer(10)));
  EXPECT_FALSE(set("train.count", integer(-5)));
  EXPECT_FALSE(set("train.count", 2.0));
  EXPECT_FALSE(set("train.size", integer(-1)));
  EXPECT_FALSE(set("train.rate", -0.5));
  EXPECT_FALSE(set("train.rate", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(set("train.rate", std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(set("train.rate", 1e300));  // no float
  EXPECT_FALSE(set("train.mode", std::string("warm")));
  EXPECT_FALSE(set("train.more.keep_at", integer(5)));
  EXPECT_FALSE(set("train.more.keep_at", std::vector<Scalar>{std::int64_t{5}, std::int64_t{0}}));
  EXPECT_FALSE(set("train.more.hooks", std::vector<Scalar>{std::string("a"), true}));
  EXPECT_EQ(settings_.count, 4);
  EXPECT_EQ(settings_.size, 2u);
  EXPECT_EQ(settings_.rate, 0.1f);
  EXPECT_EQ(settings_.mode, "soft");
  EXPECT_TRUE(settings_.keep_at.empty());
  EXPECT_EQ(settings_.hooks, std::vector<std::string>{"metrics"});
}

TEST_F(KeyTableTest, ReadsTheSettings) {
  EXPECT_EQ(to_toml(table_.find("train.rate")->get()), "0.1");  // the float's own shortest decimal
  EXPECT_EQ(to_toml(table_.find("train.more.hooks")->get()), R"(["metrics"])");
  settings_.keep_at = {3, 4};
  EXPECT_EQ(to_toml(table_.find("train.more.keep_at")->get()), "[3, 4]");
}

TEST_F(KeyTableTest, SaysWhatIsExpected) {
  EXPECT_EQ(table_.find("flag")->expected, "true or false");
  EXPECT_EQ(table_.find("train.count")->expected, "an integer from -4 to 9");
  EXPECT_EQ(table_.find("train.size")->expected, "an integer of at least 0");
  EXPECT_EQ(table_.find("train.rate")->expected, "a number of at least 0");
  EXPECT_EQ(table_.find("train.mode")->expected, "one of soft, hard");
  EXPECT_EQ(table_.find("train.more.keep_at")->expected, "a list of integers of at least 1");
  EXPECT_EQ(table_.find("train.more.hooks")->expected, "a list of strings");
}

TEST_F(KeyTableTest, KnowsKeysAndSections) {
  EXPECT_EQ(table_.find("train"), nullptr);
  EXPECT_TRUE(table_.has_section("train"));
  EXPECT_TRUE(table_.has_section("train.more"));
  EXPECT_FALSE(table_.has_section("tra"));
  EXPECT_EQ(table_.section_names(), (std::vector<std::string>{"train", "train.more"}));
  EXPECT_EQ(table_.key_names().size(), 7u);
}

}  // namespace
}  // namespace firn
