#include "firn/diagnose/task_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/jet.h"
#include "firn/model/reference/losses.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_models.h"

namespace firn {
namespace {

constexpr std::size_t kLane = 5;

std::vector<Lanes> rows_of(const reference::Values<double>& values) {
  std::vector<Lanes> rows(values.size());
  for (std::size_t c = 0; c < values.size(); ++c) rows[c].v[kLane] = values[c];
  return rows;
}

struct Case {
  const char* name;
  std::size_t outputs;
  long double (*extended)(const reference::Values<long double>&, std::size_t);
  Jet2 (*jet)(const reference::Values<Jet2>&, std::size_t);
};

const Case kCases[] = {
    {"cross-entropy", 6, reference::cross_entropy<long double>, reference::cross_entropy<Jet2>},
    {"bce", 1, reference::binary_cross_entropy<long double>, reference::binary_cross_entropy<Jet2>},
    {"squared", 1, reference::squared_error<long double>, reference::squared_error<Jet2>},
    {"squared", 4, reference::squared_error<long double>, reference::squared_error<Jet2>},
};

TEST(TaskLoss, DifferencesKeepTheirDigits) {
  for (const Case& c : kCases)
    for (const double size : {1.0, 1e-4, 1e-12})
      for (std::size_t label = 0; label < 2; ++label) {
        const auto scores = random_values(c.outputs, 3, -2, 2), change = random_values(c.outputs, 4, -size, size);
        const auto score_rows = rows_of(scores), change_rows = rows_of(change);
        reference::Values<long double> before(scores.begin(), scores.end()), after = before;
        for (std::size_t i = 0; i < after.size(); ++i) after[i] += change[i];
        const auto expected = static_cast<double>(c.extended(after, label) - c.extended(before, label));
        const double actual = task_loss_from_name(c.name).difference({score_rows.data(), c.outputs, 1, kLane}, label,
                                                                     {change_rows.data(), c.outputs, 1, kLane});
        EXPECT_NEAR(actual / expected, 1, size < 1e-6 ? 1e-6 : 1e-12) << c.name << " " << size;
      }
}

TEST(TaskLoss, CurvesAndGradientsEqualJets) {
  for (const Case& c : kCases)
    for (std::size_t label = 0; label < 2; ++label) {
      const auto scores = random_values(c.outputs, 3, -2, 2), first = random_values(c.outputs, 4, -1, 1),
                 second = random_values(c.outputs, 5, -1, 1);
      reference::Values<Jet2> jets;
      for (std::size_t i = 0; i < c.outputs; ++i) jets.emplace_back(scores[i], first[i], second[i]);
      const Jet2 expected = c.jet(jets, label);
      const TaskLoss& loss = task_loss_from_name(c.name);
      const auto s = rows_of(scores), d1 = rows_of(first), d2 = rows_of(second);
      const ClassSumView view{s.data(), c.outputs, 1, kLane};
      const Curve curve = loss.curve(view, label, {d1.data(), c.outputs, 1, kLane}, {d2.data(), c.outputs, 1, kLane});
      EXPECT_NEAR(curve.first, expected.first, 1e-13) << c.name;
      EXPECT_NEAR(curve.second, expected.second, 1e-13) << c.name;
      EXPECT_NEAR(loss.value(view, label), expected.value, 1e-13) << c.name;
      std::vector<double> grad(c.outputs);
      loss.gradient(view, label, grad.data());
      double along = 0;
      for (std::size_t i = 0; i < c.outputs; ++i) along += grad[i] * first[i];
      EXPECT_NEAR(along, expected.first, 1e-13) << c.name;
    }
}

TEST(TaskLoss, NamesAreThoseOfTraining) {
  EXPECT_EQ(error_of([] { task_loss_from_name("hinge"); }),
            "there is no loss \"hinge\"; choose cross-entropy, bce or squared");
}

}  // namespace
}  // namespace firn
