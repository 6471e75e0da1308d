#include "firn/theory/concentration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/threads.h"
#include "tests/support/expect_error.h"
#include "tests/theory/boolean_judge.h"

namespace firn {
namespace {

void expect_theorem(const Concentration& result) {
  ASSERT_GE(result.rows.size(), 5u);
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const ConcentrationRow& row = result.rows[r];
    EXPECT_NEAR(row.gap(), result.closed_form, 1e-12) << row.neurons;
    EXPECT_NEAR(row.relaxed_risk, row.best_risk, 1e-12) << row.neurons;
    if (r == 0) continue;
    EXPECT_LT(row.entropy, result.rows[r - 1].entropy);
    EXPECT_LT(row.gini, result.rows[r - 1].gini);
    EXPECT_LT(row.non_modal, result.rows[r - 1].non_modal);
  }
}

TEST(Concentration, SquaredLossKeepsTheKnownGap) {
  const Concentration result = run_concentration({.n_max = 800});
  EXPECT_NEAR(result.closed_form, 0.4096, 1e-15);
  expect_theorem(result);
  EXPECT_LT(result.rows.back().entropy, 0.004);
}

TEST(Concentration, BinaryCrossEntropyKeepsItsClosedForm) {
  for (const double z : {-2.0, 0.3, 1.0, 4.0}) {
    const double pi = 1 / (1 + std::exp(-z));
    const Concentration result = run_concentration({.loss = "bce", .copies = 2, .positives = pi, .n_max = 200});
    EXPECT_NEAR(result.best_prediction, z, 1e-12);
    EXPECT_NEAR(result.closed_form, std::log(2) - std::log(1 + std::exp(z)) + pi * z, 1e-12);
    expect_theorem(result);
  }
}

// The sequence is made of ordinary models: the float engine and the Boolean network say the same.
TEST(Concentration, EngineAndCircuitAgree) {
  SmallNetwork network = concentrated_network(48, 3, 0.64);
  Threads threads(1);
  Model& model = network.model();
  model.prepare({WeightPlan{}}, threads);
  Workspace workspace = model.make_workspace(16, /*with_gradients=*/false);
  model.forward(workspace);
  EXPECT_NEAR(workspace.class_sums.row(0)[0], 0.64, 1e-5);
  const Population population = independent_labels(0.64);
  BooleanJudge judge(network, population, reference::loss_formulas("squared"));
  EXPECT_NEAR(judge.risk(argmax(network.distribution())), 0.64, 1e-12);
  Assignment three(48, Gate::kFalse);
  for (std::size_t n : {4, 17, 40}) three[n] = Gate::kTrue;
  EXPECT_NEAR(judge.risk(three), 0.64 - 0.4096, 1e-12);
}

TEST(Concentration, RefusesWhatHasNoGap) {
  EXPECT_NE(error_of([] { run_concentration({.loss = "bce", .positives = 0.5}); }).find("another share of positives"),
            std::string::npos);
  EXPECT_NE(error_of([] { run_concentration({.positives = 1}); }).find("between 0 and 1"), std::string::npos);
  EXPECT_NE(error_of([] { run_concentration({.copies = 9, .n_max = 10}); }).find("more neurons"), std::string::npos);
  EXPECT_NE(error_of([] { run_concentration({.copies = std::size_t{1} << 63}); }).find("choose 1 to 32767"),
            std::string::npos);
  EXPECT_NE(error_of([] { run_concentration({.loss = "hinge"}); }).find("hinge"), std::string::npos);
}

}  // namespace
}  // namespace firn
