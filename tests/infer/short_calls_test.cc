// Calls with a few samples take another path than long ones: the same classes and counts, on every target.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/predictor.h"
#include "tests/support/each_target.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

constexpr std::size_t kSamples = 300;

Examples random_examples(std::size_t features, bool reals, std::uint64_t seed) {
  RandomSequence random(seed, "test/short-calls");
  Matrix<std::uint8_t> bytes(kSamples, features);
  Matrix<float> floats(kSamples, features);
  for (std::size_t s = 0; s < kSamples; ++s)
    for (std::size_t f = 0; f < features; ++f) floats[s][f] = bytes[s][f] = static_cast<std::uint8_t>(random.next());
  Examples examples;
  if (reals)
    examples.reals = std::move(floats);
  else
    examples.bytes = std::move(bytes);
  return examples;
}

CircuitModel random_model(std::uint64_t seed, bool reals) {
  BooleanNetwork network = random_network(seed);
  Matrix<float> threshold(1, 1);
  threshold[0][0] = 127;
  Netlist netlist = lower(network);
  simplify(netlist);
  return {"",
          {},
          Encoder::from_parts({"uniform", reals ? "reals" : "bytes", network.input, threshold}),
          std::move(network),
          std::move(netlist)};
}

struct Predicted {
  std::vector<std::uint16_t> classes;
  Matrix<std::uint32_t> counts;
};

Predicted predict(Predictor& predictor, const Examples& examples, std::size_t first, std::size_t samples,
                  std::size_t groups) {
  Predicted predicted{std::vector<std::uint16_t>(samples, 99), Matrix<std::uint32_t>(samples, groups)};
  predictor.predict(examples, first, predicted.classes, &predicted.counts);
  return predicted;
}

TEST(ShortCalls, GiveWhatLongOnesGiveOnEveryTarget) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const bool reals = seed % 2 == 0;
    CircuitModel model = random_model(seed, reals);
    if (seed == 3) model.network.head = {.groups = 1, .factor = 1, .offset = 0, .threshold = 2};
    const auto machine = make_machine(model);
    const Examples examples = random_examples(model.encoder.input_shape().size(), reals, seed);
    const std::size_t groups = model.network.head.groups;
    each_target([&](const char* target) {
      for (const int thread_count : {1, 2}) {
        Threads threads(thread_count);
        Predictor predictor(model, *machine, threads);
        const Predicted all = predict(predictor, examples, 0, kSamples, groups);  // one block, of more than a word
        std::vector<std::size_t> sizes = {0, 65, 127, 128, 129, 256};
        for (std::size_t samples = 1; samples <= 64; ++samples) sizes.push_back(samples);
        for (const std::size_t samples : sizes) {
          const std::size_t first = samples % 3;
          const Predicted few = predict(predictor, examples, first, samples, groups);
          for (std::size_t s = 0; s < samples; ++s) {
            ASSERT_EQ(few.classes[s], all.classes[first + s]) << target << " " << samples << " samples, seed " << seed;
            for (std::size_t g = 0; g < groups; ++g)
              ASSERT_EQ(few.counts[s][g], all.counts[first + s][g]) << target << " " << samples << " samples";
          }
        }
      }
    });
  }
}

// More values than 16-bit numbers can tell apart.
TEST(ShortCalls, OfLargeCircuits) {
  constexpr std::size_t kWidth = 30000;
  RandomSequence random(1, "test/large");
  BooleanNetwork network;
  network.input = {kWidth / 4};
  network.head.groups = 3;
  std::size_t features = kWidth / 4;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    network.layers.push_back(random_boolean_dense(features, kWidth, random));
    for (Gate& gate : network.layers.back().gates)
      if (!depends_on_a(gate) || !depends_on_b(gate)) gate = Gate::kXor;
    features = kWidth;
  }
  Netlist netlist = lower(network);
  simplify(netlist);
  const CircuitMachine machine(netlist, 3);
  ASSERT_GT(machine.narrow().rows(), 0x10000u);
  const auto wide = machine.make_runner(2), narrow = machine.make_runner(1);
  const auto bytes = machine.make_byte_runner();
  const auto in = random_words(network.input.size(), 2, 1);
  for (std::size_t f = 0; f < in.rows(); ++f) {
    std::ranges::copy(in[f], wide->input().row(f));
    narrow->input().row(f)[0] = in[f][0];
    bytes->input()[f] = static_cast<std::uint8_t>(in[f][0]);
  }
  for (Runner* runner : {wide.get(), narrow.get()}) {
    runner->run_gates();
    runner->count();
  }
  bytes->run_gates();
  bytes->count(8);
  const std::size_t planes = machine.counted().planes();
  for (std::size_t r = 0; r < 3 * planes; ++r) EXPECT_EQ(narrow->counts()[r][0], wide->counts()[r][0]);
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t s = 0; s < 8; ++s) {
      std::uint32_t count = 0;
      for (std::size_t p = 0; p < planes; ++p)
        count |= static_cast<std::uint32_t>(wide->counts()[g * planes + p][0] >> s & 1) << p;
      EXPECT_EQ(bytes->counts()[8 * g + s], count);
    }
}

}  // namespace
}  // namespace firn
