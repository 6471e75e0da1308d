// Values to predict, through the front door: from arrays to a circuit and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "firn/firn.h"
#include "tests/support/temporary_folder.h"

namespace {

using ::testing::HasSubstr;

std::string complaint_of(const auto& work) {
  try {
    work();
  } catch (const firn::Error& error) {
    return error.what();
  }
  return "";
}

struct Table {
  std::vector<float> samples, values;

  Table(std::size_t count, unsigned seed, float unit) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (std::size_t i = 0; i < count; ++i) {
      for (int f = 0; f < 4; ++f) samples.push_back(draw(random));
      const float* x = &samples[4 * i];
      values.push_back(unit * (20 + 3 * x[0] + 2 * std::sin(3 * x[1])));
    }
  }
};

class Values : public ::testing::Test {
 protected:
  Values()
      : config_(firn::Config::from_toml("[encode]\nthresholds = 7\nscope = 'feature'\n[model]\nfamily = 'dense'\n"
                                        "width = 300\nlayers = 3\n[train]\nsteps = 300\nbatch = 32\n"
                                        "eval_every = 50\nloss = 'squared'")) {}

  firn::Network train(float unit, const char* loss = "squared") {
    config_.set("train.loss", loss);
    train_ = Table(600, 1, unit);
    test_ = Table(200, 2, unit);
    const firn::Dataset data = firn::Dataset::view(train_.samples, train_.values, {4});
    EXPECT_EQ(data.classes(), 0u);
    return firn::train(config_, data);
  }

  firn::Config config_;
  Table train_{0, 1, 1}, test_{0, 1, 1};
  firn::TemporaryFolder folder_;
};

TEST_F(Values, AreLearnedInAnyUnitWithTheSameNetwork) {
  const firn::Network network = train(1), scaled = train(1024), tiny = train(1.f / 1048576);
  const firn::Evaluation seen = tiny.evaluate(test_.samples, test_.values);
  EXPECT_GT(seen.discrete_values->r2, 0.8);
  EXPECT_GT(seen.relaxed_values->r2, 0.8);
  EXPECT_LT(seen.discrete_values->mae, 1e-6);
  EXPECT_LE(seen.discrete_values->mae, seen.discrete_values->rmse);
  EXPECT_EQ(network.predict_values(test_.samples).size(), 200u);
  const std::vector<std::uint32_t> counts = network.compile().class_sums(test_.samples);
  EXPECT_EQ(scaled.compile().class_sums(test_.samples), counts);  // powers of two change nothing but exponents
  EXPECT_EQ(tiny.compile().class_sums(test_.samples), counts);
}

TEST_F(Values, OfACircuitAreScaledCounts) {
  const firn::Network network = train(10, "absolute");
  const firn::Circuit circuit = network.compile();
  circuit.save((folder_ / "a.firn").string());
  const firn::Circuit loaded = firn::Circuit::load((folder_ / "a.firn").string());
  const std::vector<float> values = loaded.predict_values(test_.samples);
  EXPECT_EQ(values, network.predict_values(test_.samples));
  const std::vector<std::uint32_t> counts = loaded.class_sums(test_.samples);
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], loaded.offset() + counts[i] / loaded.tau(), 1e-3);
    squares += std::pow(double{values[i]} - test_.values[i], 2);
  }
  EXPECT_NEAR(network.evaluate(test_.samples, test_.values).discrete_values->rmse, std::sqrt(squares / 200), 1e-9);
  EXPECT_EQ(loaded.classes(), 0u);
  const firn::Network copy = firn::Network::from_bytes(network.to_bytes());
  EXPECT_EQ(copy.predict_values(test_.samples), values);
  EXPECT_EQ(copy.evaluate(test_.samples, test_.values).relaxed.loss,
            network.evaluate(test_.samples, test_.values).relaxed.loss);
}

TEST_F(Values, AreNotClasses) {
  const firn::Network network = train(1);
  const std::vector<std::int32_t> labels(200, 0);
  EXPECT_THAT(complaint_of([&] { network.evaluate(test_.samples, labels); }),
              HasSubstr("predicts values; give floats"));
  EXPECT_THAT(complaint_of([&] { network.predict(test_.samples); }), HasSubstr("predicts values"));
  EXPECT_THAT(complaint_of([&] { network.diagnose(test_.samples, test_.values); }), HasSubstr("predicts values"));
  EXPECT_THAT(complaint_of([&] { network.refine(test_.samples, test_.values); }), HasSubstr("predicts values"));
  config_.set("train.loss", "cross-entropy");
  const firn::Dataset data = firn::Dataset::view(train_.samples, train_.values, {4});
  EXPECT_THAT(complaint_of([&] { firn::train(config_, data); }), HasSubstr("set train.loss to squared or absolute"));
  config_.set("train.loss", "squared").set("train.class_weights", "balanced");
  EXPECT_THAT(complaint_of([&] { firn::train(config_, data); }), HasSubstr("class_weights are for classes"));
  EXPECT_THAT(complaint_of([&] { data.with_test(test_.samples, labels); }), HasSubstr("both have classes"));
  std::vector<float> bad = train_.values;
  bad[3] = NAN;
  EXPECT_THAT(complaint_of([&] { firn::Dataset::view(train_.samples, bad, {4}); }),
              HasSubstr("example 3 is not finite"));
}

TEST_F(Values, TheBestStepIsTheOneWithTheSmallestLoss) {
  std::vector<firn::TrainProgress> seen;
  config_.set("train.patience", "2").set("train.steps", "2000").set("train.eval_every", "20");
  train_ = Table(200, 1, 1);
  const firn::Network network = firn::train(config_, firn::Dataset::view(train_.samples, train_.values, {4}),
                                            {.on_eval = [&](const firn::TrainProgress& p) { seen.push_back(p); }});
  const auto best = std::ranges::min_element(seen, {}, [](const firn::TrainProgress& p) { return p.discrete.loss; });
  EXPECT_EQ(network.step(), best->step);
  EXPECT_LT(seen.back().step, 2000u);
}

}  // namespace
