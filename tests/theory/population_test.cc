#include "firn/theory/population.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>

#include "tests/support/expect_error.h"

namespace firn {
namespace {

std::map<std::string, double> positives_by_task() {
  std::map<std::string, double> share;
  for (const TaskEntry& task : tasks()) {
    const Population p = make_population({.task = std::string(task.name), .inputs = 5});
    for (std::size_t s = 0; s < p.size(); ++s)
      share[std::string(task.name)] += p.weights[s] * static_cast<double>(p.labels[s]);
  }
  return share;
}

// The MONK's problems have 216, 142 and 228 positive robots of 432.
TEST(Population, TasksHaveTheirKnownShareOfPositives) {
  const auto share = positives_by_task();
  EXPECT_NEAR(share.at("parity"), 0.5, 1e-12);
  EXPECT_NEAR(share.at("majority"), 0.5, 1e-12);
  EXPECT_NEAR(share.at("monks-1"), 216 / 432., 1e-12);
  EXPECT_NEAR(share.at("monks-2"), 142 / 432., 1e-12);
  EXPECT_NEAR(share.at("monks-3"), 228 / 432., 1e-12);
}

TEST(Population, HoldsEveryInputOnceAndWeighsOne) {
  for (const TaskEntry& task : tasks()) {
    const Population p = make_population({.task = std::string(task.name), .inputs = 5});
    std::set<std::string> different;
    for (const auto& bits : p.bits) different.emplace(bits.begin(), bits.end());
    EXPECT_EQ(different.size(), p.size()) << task.name;
    EXPECT_EQ(p.size(), task.name.starts_with("monks") ? 432u : 32u) << task.name;
    EXPECT_NEAR(std::accumulate(p.weights.begin(), p.weights.end(), 0.0), 1, 1e-12) << task.name;
  }
}

TEST(Population, NoiseSplitsEveryInputIntoBothLabels) {
  const Population p = make_population({.task = "majority", .inputs = 3, .noise = 0.25});
  ASSERT_EQ(p.size(), 16u);
  for (std::size_t s = 0; s < 8; ++s) {
    EXPECT_EQ(p.bits[s], p.bits[s + 8]);
    EXPECT_EQ(p.labels[s] + p.labels[s + 8], 1u);
    EXPECT_DOUBLE_EQ(p.weights[s], 3 * p.weights[s + 8]);
  }
}

TEST(Population, RefusesWhatItCannotMake) {
  EXPECT_NE(error_of([] { make_population({.task = "monks-4"}); }).find("choose parity"), std::string::npos);
  EXPECT_NE(error_of([] { make_population({.inputs = 40}); }).find("2 to 12"), std::string::npos);
  EXPECT_NE(error_of([] { make_population({.task = "teacher", .gates = ~std::size_t{0}}); }).find("1 to 1000000"),
            std::string::npos);
  EXPECT_NE(error_of([] { make_population({.noise = 0.7}); }).find("0 to 0.5"), std::string::npos);
}

}  // namespace
}  // namespace firn
