#include "firn/study/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace firn {
namespace {

using ::testing::HasSubstr;

TEST(SummarizeTest, DeviationIsThatOfTheSample) {
  const Summary summary = summarize(std::vector<double>{2, 4, 4, 6});
  EXPECT_EQ(summary.count, 4u);
  EXPECT_DOUBLE_EQ(summary.mean, 4);
  EXPECT_DOUBLE_EQ(*summary.deviation, std::sqrt(8.0 / 3));
}

TEST(SummarizeTest, OneValueHasNoDeviation) {
  EXPECT_FALSE(summarize(std::vector<double>{2}).deviation);
  EXPECT_EQ(to_text(summarize(std::vector<double>{2})), "2.00");
  EXPECT_EQ(to_text(Summary{}), "-");
}

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    table_.add("global", "start 1", 10);
    table_.add("global", "start 1", 14);
    table_.add("task_%", "start 1", 20);
    table_.add("global", "start 2", 30);
  }
  Comparison table_{"strategy"};
};

TEST_F(ComparisonTest, RowsAndColumnsKeepTheirOrder) {
  EXPECT_EQ(table_.rows(), (std::vector<std::string>{"global", "task_%"}));
  EXPECT_EQ(table_.columns(), (std::vector<std::string>{"start 1", "start 2"}));
  EXPECT_EQ(table_.at(1, 1).count, 0u);
}

TEST_F(ComparisonTest, TextShowsMeanAndDeviation) {
  EXPECT_THAT(table_.text(), HasSubstr("12.00 ± 2.83    30.00"));
}

TEST_F(ComparisonTest, MarkdownMarksTheBestOfEachColumn) {
  EXPECT_EQ(table_.markdown(),
            "| strategy | start 1 | start 2 |\n|---|---:|---:|\n"
            "| global | 12.00 ± 2.83 | **30.00** |\n| task\\_% | **20.00** | - |\n");
}

TEST_F(ComparisonTest, LatexEscapesNames) {
  EXPECT_THAT(table_.latex(), HasSubstr("task\\_\\% & $\\mathbf{20.00}$ & -- \\\\"));
  EXPECT_THAT(table_.latex(), HasSubstr("global & $12.00 \\pm 2.83$ & $\\mathbf{30.00}$ \\\\"));
}

TEST_F(ComparisonTest, CsvHasOneLineACell) {
  EXPECT_EQ(table_.csv(),
            "strategy,column,count,mean,deviation\nglobal,start 1,2,12,2.82843\nglobal,start 2,1,30,\n"
            "task_%,start 1,1,20,\n");
}

}  // namespace
}  // namespace firn
