#include "firn/report/play.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/circuit/lower.h"
#include "firn/report/bundle.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Examples sorted_examples(std::size_t count) {
  Matrix<std::uint8_t> bytes(count, 2);
  Examples examples;
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i][0] = static_cast<std::uint8_t>(i);
    examples.labels.push_back(i < count / 2 ? 0 : 1);
  }
  examples.bytes = std::move(bytes);
  return examples;
}

infer::CircuitModel xor_model(std::vector<std::string> class_names) {
  BooleanNetwork network;
  network.input = {2, 1, 1};
  network.layers = {boolean_dense("fc1", 2, {0, 1, 1, 0}, {Gate::kXor, Gate::kXnor})};
  network.head = {.groups = 2};
  Encoder encoder = Encoder::from_parts(
      {.encoding = "uniform", .values = "bytes", .input_shape = {2, 1, 1}, .thresholds = Matrix<float>(1, 1)});
  const Netlist netlist = lower(network);
  return {"", std::move(class_names), std::move(encoder), std::move(network), netlist};
}

TEST(Play, SpreadsExamplesOverSortedData) {
  const PlayExamples shown = spread_examples(sorted_examples(10), {}, 5);
  EXPECT_THAT(shown.numbers, ElementsAre(1u, 3u, 5u, 7u, 9u));
  EXPECT_THAT(shown.examples.labels, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(shown.examples.bytes[3][0], 6);
  EXPECT_EQ(spread_examples(sorted_examples(3), {"a", "b", "c"}, 5).names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(spread_examples(sorted_examples(3), {}, 0).examples.count(), 0u);
}

TEST(Play, KeepsNamesFromEndingTheScript) {
  if (play_script().empty()) GTEST_SKIP() << "built without the npm packages of reports";
  const std::string page = play_page(xor_model({"</script><script>alert(1)</script>", "b"}),
                                     spread_examples(sorted_examples(4), {}, 4), {.title = "<b>t</b>"});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<b>t</b>")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("connect-src 'none'"));
}

}  // namespace
}  // namespace firn
