// The engine against the slow evaluation: every target, width and number of threads, and the relaxed model itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/data/caller_memory.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/direct_machine.h"
#include "firn/infer/order.h"
#include "firn/infer/predictor.h"
#include "tests/support/each_target.h"
#include "tests/support/random_models.h"
#include "tests/support/random_networks.h"

namespace firn {
namespace {

Netlist simplified(const BooleanNetwork& network) {
  Netlist netlist = lower(network);
  simplify(netlist);
  return netlist;
}

// Counts of every group for every sample of `in`, by a machine: [group][sample].
std::vector<std::vector<std::uint32_t>> counts_by(const Machine& machine, const Matrix<std::uint64_t>& in) {
  const auto runner = machine.make_runner(in.cols());
  for (std::size_t f = 0; f < in.rows(); ++f) std::ranges::copy(in[f], runner->input().row(f));
  runner->run_gates();
  runner->count();
  std::vector<std::vector<std::uint32_t>> counts(machine.counted().groups());
  for (std::size_t g = 0; g < counts.size(); ++g) {
    counts[g].resize(64 * in.cols());
    unpack_counts(machine.counted().planes(), in.cols(), runner->counts().row(g * machine.counted().planes()),
                  counts[g].data());
  }
  return counts;
}

std::vector<std::vector<std::uint32_t>> counts_of(const Matrix<std::uint64_t>& outputs, std::size_t groups) {
  std::vector<std::vector<std::uint32_t>> counts(groups, std::vector<std::uint32_t>(64 * outputs.cols()));
  for (std::size_t o = 0; o < outputs.rows(); ++o)
    for (std::size_t s = 0; s < 64 * outputs.cols(); ++s)
      counts[o * groups / outputs.rows()][s] += bit_of(outputs[o], s);
  return counts;
}

TEST(Machines, ComputeWhatThousandsOfNetworksCompute) {
  constexpr std::size_t kWidths[] = {2, 4, 8, 16};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const BooleanNetwork network = random_network(seed);
    const auto in = random_words(network.input.size(), kWidths[seed % 4], seed);
    Matrix<std::uint64_t> rows = make_bit_rows(in.rows(), in.cols());
    for (std::size_t f = 0; f < in.rows(); ++f) std::ranges::copy(in[f], rows.row(f));
    const auto expected = counts_of(simulate(lower(network), in), 3);  // passes_test ties this to the network
    const CircuitMachine circuit(simplified(network), 3);
    const DirectMachine direct(network);
    each_target([&](const char* target) {
      ASSERT_EQ(counts_by(circuit, rows), expected) << target << " circuit, seed " << seed;
      ASSERT_EQ(counts_by(direct, rows), expected) << target << " direct, seed " << seed;
    });
  }
}

TEST(Machines, CountAlikeSeesASingleWrongGate) {
  const BooleanNetwork network = random_network(5);
  const DirectMachine direct(network);
  EXPECT_TRUE(count_alike(CircuitMachine(simplified(network), 3), direct, 1));
  BooleanNetwork wrong = network;
  Gate& last = wrong.layers.back().gates[0];
  last = complement(last);
  EXPECT_FALSE(count_alike(CircuitMachine(simplified(wrong), 3), direct, 1));
}

// Wide layers make every part of the order work: long walks through shared operands, windows, rows above 65,535.
TEST(Machines, ComputeLargeDenseNetworks) {
  for (const std::size_t width : {3000, 70000}) {
    RandomSequence random(width, "test/wide");
    BooleanNetwork network;
    network.input = {width / 4};
    network.head.groups = 3;
    std::size_t features = width / 4;
    for (std::size_t layer = 0; layer < 4; ++layer) {
      BooleanLayer dense = random_boolean_dense(features, width - width % 3, random);
      for (Gate& gate : dense.gates)  // no constants and pass-throughs, so that much remains
        if (!depends_on_a(gate) || !depends_on_b(gate)) gate = Gate::kXor;
      network.layers.push_back(dense);
      features = dense.gates.size();
    }
    const auto in = random_words(network.input.size(), 8, 1);
    const Netlist netlist = simplified(network);
    EXPECT_GT(netlist.gates.size(), width);
    const CircuitMachine circuit(netlist, 3);
    EXPECT_EQ(circuit.rows() > 0x10000, width == 70000) << circuit.rows();
    const auto expected = counts_of(simulate(lower(network), in), 3);
    each_target([&](const char* target) { EXPECT_EQ(counts_by(circuit, in), expected) << target; });
  }
}

TEST(Schedule, AnyWindowGivesTheSameOutputs) {
  const BooleanNetwork network = random_network(11);
  const Netlist netlist = simplified(network);
  const auto in = random_words(network.input.size(), 8, 1);
  const auto expected = simulate(netlist, in);
  for (const std::size_t window : {0, 1, 2, 7, 1000}) {
    const Schedule schedule = make_schedule(netlist, window);
    Matrix<std::uint64_t> rows = make_bit_rows(schedule.rows, 8);
    for (std::size_t f = 0; f < in.rows(); ++f) std::ranges::copy(in[f], rows.row(f));
    run_gates({schedule.runs.data(), schedule.runs.size(), nullptr, schedule.instruction_rows.data()}, 8, rows.data());
    for (std::size_t o = 0; o < expected.rows(); ++o) {
      const Wire output = schedule.outputs[o];
      for (std::size_t w = 0; w < 8; ++w) {
        const std::uint64_t value = output.is_constant() ? 0 : rows[output.node() - 1][w];
        ASSERT_EQ(output.inverted() ? ~value : value, expected[o][w]) << window;
      }
    }
  }
}

// Two chains of single-use gates, one after the other: a handful of rows is enough for both.
TEST(Schedule, RowsAreUsedAgain) {
  Netlist netlist{4, {}, {}};
  for (int chain = 0; chain < 2; ++chain) {
    Wire last = netlist.input(chain);
    for (int i = 0; i < 1000; ++i) {
      netlist.gates.push_back({last, netlist.input(2 + i % 2), i % 3 == 0 ? Gate::kAnd : Gate::kXor});
      last = netlist.gate(netlist.gates.size() - 1);
    }
    netlist.outputs.push_back(last);
  }
  const Schedule schedule = make_schedule(netlist);
  EXPECT_LE(schedule.rows, 8u);
  EXPECT_EQ(schedule.gates, 2000u);
  EXPECT_LE(schedule.instruction_rows.size(), 2000u * 2 + 10);  // two gates an instruction: four rows
}

// The relaxed model with every neuron frozen, on binary inputs, through encoder, circuit and counts.
TEST(Predictor, AgreesWithTheRelaxedModelAtTheCorners) {
  for (const TinyFamily& family : kTinyFamilies)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Threads threads(2);
      const auto model = family.make(seed);
      CircuitModel compiled{"",
                            {},
                            Encoder::from_parts({"passthrough", "bytes", model->input().shape, Matrix<float>(1, 1)}),
                            model->harden(),
                            {}};
      for (Neurons* group : model->neurons()) freeze_to_argmax(*group);
      model->prepare({{}}, threads);
      constexpr std::size_t kSamples = 208;
      RandomBatch batch(*model, kSamples, /*binary=*/true, seed);
      Workspace workspace = model->make_workspace(kSamples, false);
      batch.write_rows(0, kSamples, 0, workspace.values[0]);
      model->forward(workspace);

      Examples examples;
      Matrix<std::uint8_t> bytes(kSamples, model->input().shape.size());
      const auto samples = batch.samples();
      for (std::size_t s = 0; s < kSamples; ++s)
        for (std::size_t f = 0; f < samples[s].size(); ++f) bytes[s][f] = samples[s][f] != 0 ? 255 : 0;
      examples.bytes = std::move(bytes);

      for (const bool direct : {false, true}) {
        compiled.netlist.reset();
        if (!direct) compiled.netlist = simplified(compiled.network);
        const auto machine = make_machine(compiled);
        for (const std::size_t words : {2, 4, 8}) {
          Predictor predictor(compiled, *machine, threads, words);
          std::vector<std::uint16_t> predictions(kSamples);
          Matrix<std::uint32_t> counts(kSamples, compiled.network.head.groups);
          predictor.predict(examples, 0, predictions, &counts);
          for (std::size_t s = 0; s < kSamples; ++s) {
            std::size_t best = 0;
            for (std::size_t c = 0; c < compiled.network.head.groups; ++c) {
              const float sum = workspace.class_sums[c][s];
              ASSERT_EQ(static_cast<float>(counts[s][c]), std::round(sum / model->head().factor)) << family.name;
              if (counts[s][c] > counts[s][best]) best = c;
            }
            ASSERT_EQ(predictions[s], best) << family.name << " sample " << s;
          }
          // A batch of one from the middle.
          std::uint16_t one = 99;
          predictor.predict(examples, 77, {&one, 1});
          EXPECT_EQ(one, predictions[77]);
        }
      }
    }
}

TEST(Predictor, ASingleGroupIsComparedWithTheThreshold) {
  BooleanNetwork network;
  network.input = {4};
  std::vector<std::uint32_t> wires;
  for (std::uint32_t i = 0; i < 4; ++i) wires.insert(wires.end(), {i, i});
  network.layers = {boolean_dense("fc", 4, wires, std::vector<Gate>(4, Gate::kA))};
  network.head = {.groups = 1, .factor = 0.5f, .offset = -1, .threshold = 0.25f};
  CircuitModel model{
      "", {}, Encoder::from_parts({"passthrough", "bytes", {4}, Matrix<float>(1, 1)}), network, simplified(network)};
  Examples examples;
  Matrix<std::uint8_t> bytes(16, 4);
  for (std::size_t s = 0; s < 16; ++s)
    for (std::size_t f = 0; f < 4; ++f) bytes[s][f] = s >> f & 1 ? 255 : 0;
  examples.bytes = std::move(bytes);
  Threads threads(1);
  const auto machine = make_machine(model);
  Predictor predictor(model, *machine, threads);
  std::vector<std::uint16_t> predictions(16);
  predictor.predict(examples, 0, predictions);
  for (std::size_t s = 0; s < 16; ++s) EXPECT_EQ(predictions[s], std::popcount(s) >= 3) << s;  // -1 + n/2 > 1/4

  std::vector<std::uint8_t> packed;  // the memory of a caller, without padding
  for (std::size_t s = 0; s < 16; ++s)
    for (const std::uint8_t byte : examples.bytes[s]) packed.push_back(byte);
  packed.shrink_to_fit();
  std::vector<std::uint16_t> same(16);
  predictor.predict(make_examples(packed, {4}), 0, same);
  EXPECT_EQ(same, predictions);
}

}  // namespace
}  // namespace firn
