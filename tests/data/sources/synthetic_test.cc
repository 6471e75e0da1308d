#include "firn/data/sources/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "firn/base/memory.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

std::size_t ones(std::span<const std::uint8_t> bits) {
  return static_cast<std::size_t>(std::count(bits.begin(), bits.end(), 255));
}

DataSettings small(std::size_t inputs = 9) {
  DataSettings settings;
  settings.synthetic.inputs = inputs;
  settings.synthetic.examples = 1000;
  return settings;
}

double mean(const std::vector<std::uint16_t>& labels) {
  return std::accumulate(labels.begin(), labels.end(), 0.0) / static_cast<double>(labels.size());
}

TEST(Synthetic, InputsAreFairBits) {
  const Dataset dataset = load_parity(small(40));
  EXPECT_EQ(dataset.train.count(), 1000u);
  EXPECT_EQ(dataset.test.count(), 200u);
  for (std::size_t k = 0; k < 40; ++k) {
    std::size_t set = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const std::uint8_t byte = dataset.train.bytes[i][k];
      ASSERT_TRUE(byte == 0 || byte == 255);
      set += byte == 255;
    }
    EXPECT_NEAR(static_cast<double>(set), 500, 90) << k;
  }
}

TEST(Synthetic, LabelsFollowTheRule) {
  const Dataset parity = load_parity(small()), majority = load_majority(small());
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t count = ones(std::as_const(parity.train.bytes)[i]);
    ASSERT_EQ(parity.train.labels[i], count % 2);
    ASSERT_EQ(majority.train.labels[i], ones(std::as_const(majority.train.bytes)[i]) > 4);
  }
}

TEST(Synthetic, NoiseFlipsItsShareOfTrainingLabelsOnly) {
  DataSettings settings = small();
  const Dataset clean = load_teacher(settings);
  settings.synthetic.noise = 0.2;
  const Dataset noisy = load_teacher(settings);
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < 1000; ++i) flipped += clean.train.labels[i] != noisy.train.labels[i];
  EXPECT_NEAR(static_cast<double>(flipped), 200, 65);
  EXPECT_EQ(clean.test.labels, noisy.test.labels);
}

TEST(Teacher, EveryWireIsReadAndEveryGateDependsOnBothOperands) {
  for (std::size_t gates : {8, 9, 30, 200}) {
    const TeacherCircuit circuit = draw_teacher(9, gates, 3, 0);
    ASSERT_EQ(circuit.nodes.size(), gates);
    std::vector<bool> read(9 + gates);
    for (std::size_t g = 0; g < gates; ++g) {
      const auto [gate, a, b] = circuit.nodes[g];
      ASSERT_NE(a, b);
      ASSERT_LT(std::max(a, b), 9 + g);
      ASSERT_TRUE(depends_on_a(gate) && depends_on_b(gate));
      read[a] = read[b] = true;
    }
    EXPECT_EQ(std::count(read.begin(), read.end(), false), 1) << gates;  // the output
    EXPECT_FALSE(read.back());
  }
}

TEST(Teacher, FewGatesReadAsManyInputsAsTheyCan) {
  const TeacherCircuit circuit = draw_teacher(100, 1, 3, 0);
  ASSERT_EQ(circuit.nodes.size(), 1u);
  std::vector<std::uint8_t> bits(100);
  for (int a : {0, 1})
    for (int b : {0, 1}) {
      bits[circuit.nodes[0].a] = a ? 255 : 0;
      bits[circuit.nodes[0].b] = b ? 255 : 0;
      EXPECT_EQ(circuit(bits), eval(circuit.nodes[0].gate, a != 0, b != 0));
    }
}

TEST(Teacher, IsBalancedAndAFunctionOfTheSeed) {
  DataSettings settings = small();
  for (settings.synthetic.seed = 1; settings.synthetic.seed < 20; ++settings.synthetic.seed) {
    const double share = mean(load_teacher(settings).train.labels);
    EXPECT_TRUE(share >= 0.25 && share <= 0.75) << settings.synthetic.seed << ": " << share;
  }
  EXPECT_EQ(load_teacher(settings).train.labels, load_teacher(settings).train.labels);
  DataSettings other = settings;
  other.synthetic.seed = 1;
  EXPECT_NE(load_teacher(settings).train.labels, load_teacher(other).train.labels);
}

TEST(Synthetic, MemoryIsCountedWithThePaddingOfRows) {
  for (const std::size_t inputs : {2, 6, 64, 65, 1000}) {
    const Dataset dataset = load_majority(small(inputs));
    const std::size_t rows = dataset.train.count() + dataset.test.count();
    const auto held = static_cast<double>(
        rows * (static_cast<std::size_t>(std::as_const(dataset.train.bytes)[1].data() - dataset.train.bytes[0].data()) +
                sizeof(std::uint16_t)));
    EXPECT_GE(synthetic_bytes(small(inputs).synthetic), held) << inputs;
    EXPECT_LE(synthetic_bytes(small(inputs).synthetic), 1.3 * held) << inputs;
  }
}

TEST(Synthetic, MoreExamplesThanMemoryHoldsAreRefusedWithTheirKey) {
  DataSettings settings = small(6);
  settings.synthetic.examples = 715'827'882;
  const auto gigabytes = synthetic_bytes(settings.synthetic) / 1e9;
  EXPECT_GT(gigabytes, 60);
  if (static_cast<double>(available_memory()) > 1e9 * gigabytes) GTEST_SKIP() << "this machine holds them";
  EXPECT_THAT(error_of([&] { load_parity(settings); }),
              testing::AllOf(testing::HasSubstr("GB of memory"), testing::HasSubstr("data.synthetic.examples")));
}

TEST(Synthetic, RefusesSettingsThatMakeNoSense) {
  const auto message = [](auto change) {
    DataSettings settings;
    change(settings.synthetic);
    return error_of([&] { load_teacher(settings); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(message([](SyntheticSettings& s) { s.inputs = 1; }), HasSubstr("data.synthetic.inputs"));
  EXPECT_THAT(message([](SyntheticSettings& s) { s.examples = 0; }), HasSubstr("data.synthetic.examples"));
  EXPECT_THAT(message([](SyntheticSettings& s) { s.examples = ~std::size_t{0}; }),
              HasSubstr("data.synthetic.examples"));
  EXPECT_THAT(message([](SyntheticSettings& s) { s.gates = 0; }), HasSubstr("data.synthetic.gates"));
  EXPECT_THAT(message([](SyntheticSettings& s) { s.noise = 1.5; }), HasSubstr("data.synthetic.noise"));
}

}  // namespace
}  // namespace firn
