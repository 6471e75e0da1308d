#include "firn/diagnose/interventions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "tests/support/brute_force.h"
#include "tests/support/thread_ranks.h"

namespace firn {
namespace {

const OnWork kNoProgress = [](std::uint64_t, std::uint64_t) {};

std::vector<std::uint8_t> all_slots() {
  std::vector<std::uint8_t> slots(kSlots);
  std::iota(slots.begin(), slots.end(), std::uint8_t{0});
  return slots;
}

void expect_relative(double actual, long double expected, double tolerance, const std::string& what) {
  const double wanted = static_cast<double>(expected);
  EXPECT_LE(std::abs(actual - wanted), tolerance * std::abs(wanted)) << what << ": " << actual << " " << wanted;
}

// Effects against two whole passes, derivatives against jets and, as far as their own digits reach, against finite
// differences.
void expect_equals_brute_force(const SlotEffect& result, const BruteForce& judge, Extended soft, std::size_t group,
                               std::size_t i, std::size_t slot, const std::string& where) {
  expect_relative(result.effect, judge.risk<Extended>(group, i, slot, 1) - soft, 1e-7, where + " effect");
  const Jet2 jet = judge.risk(group, i, slot, Jet2(0, 1, 0));
  expect_relative(result.first, jet.first, 1e-9, where + " first");
  EXPECT_NEAR(result.second, jet.second, 1e-9 * std::abs(jet.second) + 1e-13) << where << " second";
  const Extended h = 1e-4L, up = judge.risk(group, i, slot, h), down = judge.risk(group, i, slot, -h);
  EXPECT_NEAR(result.first, static_cast<double>((up - down) / (2 * h)), 1e-6 * std::abs(jet.first) + 1e-9) << where;
  EXPECT_NEAR(result.second, static_cast<double>((up - 2 * soft + down) / (h * h)), 1e-5 * std::abs(jet.second) + 1e-9)
      << where;
}

// A few neurons of every layer.
std::vector<std::pair<std::size_t, std::size_t>> some_neurons(const Mixtures& mixtures, std::size_t per_group) {
  std::vector<std::pair<std::size_t, std::size_t>> chosen;
  for (std::size_t g = 0; g < mixtures.groups().size(); ++g)
    for (std::size_t n = 0; n < per_group; ++n)
      chosen.emplace_back(g, n * (mixtures.groups()[g].count - 1) / std::max<std::size_t>(1, per_group - 1));
  return chosen;
}

void check_against_brute_force(const TinyFamily& family, bool binary, double temperature) {
  const std::string what = std::string(family.name) + (binary ? " binary" : " real");
  const auto model = family.make(7);
  for (Neurons* group : model->neurons()) freeze_some(*group, 0.2, 3);
  const auto batch = std::make_shared<RandomBatch>(*model, 17, binary, 5);  // two blocks, the second almost empty
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), temperature);
  const BruteForce judge(*model, *batch, temperature);
  const Extended soft = judge.soft_risk();
  Threads threads(2);
  const ScoreSums scores = measure_scores(network, samples_of(batch), threads, kNoProgress);
  expect_relative(scores.loss / 17, soft, 1e-12, what + " risk");
  std::vector<NeuronSlots> neurons;
  const auto chosen = some_neurons(network.mixtures(), 2);
  for (const auto& [group, i] : chosen) neurons.push_back({network.mixtures().groups()[group].first + i, {1, 6, 8}});
  const auto results = measure_effects(network, samples_of(batch), neurons, {true, true}, threads, kNoProgress);
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    const auto [group, i] = chosen[n];
    for (std::size_t j = 0; j < neurons[n].slots.size(); ++j) {
      const std::size_t slot = neurons[n].slots[j];
      const std::string where = what + " " + network.mixtures().groups()[group].name + " neuron " + std::to_string(i) +
                                " slot " + std::to_string(slot);
      const SlotEffect& result = results[n][j];
      expect_equals_brute_force(result, judge, soft, group, i, slot, where);
      expect_relative(scores.scores(network, neurons[n].neuron)[slot], result.first, 1e-9, where + " score");
    }
  }
}

TEST(Interventions, EqualBruteForceOnEveryFamily) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const bool binary : {false, true}) check_against_brute_force(family, binary, 1);
  check_against_brute_force(kTinyFamilies[0], true, 2.5);
}

TEST(Interventions, OtherLossesEqualBruteForce) {
  const auto model = model_of(
      {random_tree("conv", {2, 4, 4}, tree(3, 2, 3, 1, 2, "two-distinct"), 4), random_dense("fc", {3, 2, 2}, {8}, 4)},
      head_of(1, 3.f, -1.f));
  for (const char* name : {"bce", "squared"}) {
    const auto batch = std::make_shared<RandomBatch>(*model, 6, true, 5);
    const ConeNetwork network(*model, task_loss_from_name(name), 1);
    const BruteForce judge(*model, *batch, 1, name);
    const Extended soft = judge.soft_risk();
    Threads threads(1);
    const auto results =
        measure_effects(network, samples_of(batch), {{4, all_slots()}}, {true, true}, threads, kNoProgress);
    for (std::size_t k = 0; k < kSlots; ++k) expect_equals_brute_force(results[0][k], judge, soft, 0, 4, k, name);
  }
}

TEST(Interventions, ErrorsOfSamplesAreThoseOfEachSampleByItself) {
  const auto model = tiny_tree_model(9);
  const auto batch = std::make_shared<RandomBatch>(*model, 5, true, 2);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  Threads threads(1);
  const std::vector<NeuronSlots> one = {{4, all_slots()}};
  const auto together = measure_effects(network, samples_of(batch), one, {true, true}, threads, kNoProgress);
  std::vector<double> first(kSlots), second(kSlots);
  const SampleSet samples = samples_of(batch);
  for (std::size_t s = 0; s < samples.count(); ++s) {
    const SampleSet single{{samples.labels[s]},
                           [&](std::size_t, std::size_t, Matrix<float>& rows) { samples.write_rows(s, 1, rows); }};
    const auto own = measure_effects(network, single, one, {true, true}, threads, kNoProgress);
    for (std::size_t k = 0; k < kSlots; ++k) {
      first[k] += std::abs(own[0][k].effect - own[0][k].first) / static_cast<double>(samples.count());
      second[k] +=
          std::abs(own[0][k].effect - own[0][k].first - own[0][k].second / 2) / static_cast<double>(samples.count());
    }
  }
  for (std::size_t k = 0; k < kSlots; ++k) {
    EXPECT_NEAR(together[0][k].first_error, first[k], 1e-12) << k;
    EXPECT_NEAR(together[0][k].second_error, second[k], 1e-12) << k;
  }
  EXPECT_GT(*std::ranges::max_element(first), 1e-6);
}

// The displacement of a neuron at every position, losers of the pool included, from the reference's own nodes.
TEST(Interventions, DisplacementIsTheMeanOverSamplesAndAllPositions) {
  const auto model = tiny_tree_model(9);
  const auto batch = std::make_shared<RandomBatch>(*model, 5, true, 2);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  const LayerDescription& wiring = model->wiring(0);
  const std::vector<std::uint8_t> no_opcodes;
  const reference::Layer conv{wiring, no_opcodes};
  std::vector<double> weights;
  for (std::size_t n = 0; n < network.mixtures().groups()[0].count; ++n)
    weights.insert(weights.end(), network.mixtures().weights(n).begin(), network.mixtures().weights(n).end());
  Threads threads(1);
  for (const std::size_t gate : {0, 4, 6}) {
    const std::size_t filter = 2, neuron = filter * wiring.gates + gate, slot = 9;
    double sum = 0, winning = 0;
    std::size_t terms = 0;
    for (const auto& sample : batch->samples())
      for (std::size_t output = 0; output < 16; ++output) {
        double largest = -1, of_largest = 0;
        for (std::size_t position = 0; position < 4; ++position, ++terms) {
          const auto nodes = conv.nodes(weights.data(), sample, filter, output, position);
          const double moved = reference::gate_value(Gate::kXnor, nodes[2 * gate], nodes[2 * gate + 1]);
          const double square = std::pow(moved - nodes[wiring.taps + gate], 2);
          sum += square;
          if (nodes.back() <= largest) continue;
          largest = nodes.back();
          of_largest = square;
        }
        winning += of_largest;
      }
    const auto results = measure_effects(network, samples_of(batch), {{neuron, {slot}}}, {}, threads, kNoProgress);
    expect_relative(results[0][0].displacement, sum / static_cast<double>(terms), 1e-10,
                    "gate " + std::to_string(gate));
    expect_relative(results[0][0].winning, winning / static_cast<double>(terms), 1e-10,
                    "winners, gate " + std::to_string(gate));
    EXPECT_EQ(network.positions(neuron), 64u);
  }
}

TEST(Interventions, SlotDisplacementComparesWithTheNeuronsOwnSlot) {
  const auto model = tiny_compact_model(3);
  const auto batch = std::make_shared<RandomBatch>(*model, 4, true, 2);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  const LayerDescription& wiring = model->wiring(0);
  const reference::Layer conv{wiring, model->neurons()[0]->opcodes};
  const std::size_t filter = 3, slot = 5;
  std::vector<double> weights;
  for (std::size_t n = 0; n <= filter; ++n)
    weights.insert(weights.end(), network.mixtures().weights(n).begin(), network.mixtures().weights(n).end());
  double sum = 0;
  for (const auto& sample : batch->samples())
    for (std::size_t output = 0; output < 16; ++output) {
      const auto nodes = conv.nodes(weights.data(), sample, filter, output, 0);
      const double moved =
          reference::gate_value(conv.slots(filter, 0)[slot].gate, nodes[2 * slot], nodes[2 * slot + 1]);
      sum += std::pow(moved - nodes.back(), 2);
    }
  Threads threads(1);
  const auto results = measure_effects(network, samples_of(batch), {{filter, {slot}}}, {}, threads, kNoProgress);
  expect_relative(results[0][0].displacement, sum / (4 * 16), 1e-10, "slot");
  EXPECT_EQ(results[0][0].winning, results[0][0].displacement) << "nothing is pooled";
}

TEST(Interventions, BitsDoNotDependOnTheNumberOfRanks) {
  const auto model = tiny_tree_model(12);
  const auto batch = std::make_shared<RandomBatch>(*model, 50, true, 6);  // several blocks, the last one almost empty
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  std::vector<NeuronSlots> neurons;
  for (std::size_t n = 0; n < 11; ++n) neurons.push_back({n, {1, 6, static_cast<std::uint8_t>(7 + n % 3)}});
  Threads one(1);
  const ScoreSums scores = measure_scores(network, samples_of(batch), one, kNoProgress);
  const auto effects = measure_effects(network, samples_of(batch), neurons, {true, true}, one, kNoProgress);
  for (const int size : {2, 3, 16})
    on_thread_ranks(size, [&](Ranks& ranks) {
      Threads threads(1);
      const ScoreSums shared = measure_scores(network, samples_of(batch), threads, kNoProgress, ranks);
      EXPECT_EQ(shared.sums, scores.sums) << size;
      EXPECT_EQ(shared.loss, scores.loss) << size;
      EXPECT_EQ(shared.samples, scores.samples) << size;
      EXPECT_EQ(shared.ties.tied, scores.ties.tied) << size;
      const auto rows = measure_effects(network, samples_of(batch), neurons, {true, true}, threads, kNoProgress, ranks);
      ASSERT_EQ(rows.size(), effects.size());
      for (std::size_t n = 0; n < rows.size(); ++n)
        for (std::size_t k = 0; k < rows[n].size(); ++k) {
          EXPECT_EQ(rows[n][k].effect, effects[n][k].effect) << size;
          EXPECT_EQ(rows[n][k].displacement, effects[n][k].displacement) << size;
          EXPECT_EQ(rows[n][k].second, effects[n][k].second) << size;
        }
    });
}

// At a logit gap of 20 the mixture is within 1e-8 of its gate. Neither side resolves more than 1e-17.
TEST(Interventions, SaturatedNeuronsKeepTheirDigits) {
  const auto model = tiny_tree_model(12);
  for (Neurons* group : model->neurons())
    for (std::size_t i = 0; i < group->count(); ++i) group->logits.row(i)[i % kSlots] += 24;
  const auto batch = std::make_shared<RandomBatch>(*model, 8, true, 6);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  const BruteForce judge(*model, *batch);
  Threads threads(1);
  std::size_t tiny = 0;
  for (const std::size_t i : {0, 5, 9, 18, 27, 34}) {
    const auto chosen = static_cast<std::uint8_t>(network.mixtures().chosen(i));
    const auto results = measure_effects(network, samples_of(batch), {{i, {chosen}}}, {}, threads, kNoProgress);
    const Extended expected = judge.risk<Extended>(0, i, chosen, 1) - judge.soft_risk();
    EXPECT_NEAR(results[0][0].effect, static_cast<double>(expected),
                1e-5 * static_cast<double>(std::abs(expected)) + 1e-17)
        << "neuron " << i;
    tiny += std::abs(expected) > 1e-13L && std::abs(expected) < 1e-8L;
  }
  EXPECT_GT(tiny, 1u);
}

// Between an activation and a squared loss on the mean of the outputs there is nothing but sums: the loss is quadratic
// along the displacement, and the second-order score is the realized effect.
TEST(Interventions, SecondOrderIsExactWhereTheLossIsQuadratic) {
  const auto model = model_of({random_dense("fc", {12}, {10}, 6)}, head_of(1, 2.f, 0.25f));
  const auto batch = std::make_shared<RandomBatch>(*model, 16, false, 3);
  const ConeNetwork network(*model, task_loss_from_name("squared"), 1);
  Threads threads(1);
  for (std::size_t n = 0; n < 10; ++n) {
    const auto results =
        measure_effects(network, samples_of(batch), {{n, all_slots()}}, {true, true}, threads, kNoProgress);
    for (const SlotEffect& r : results[0]) {
      EXPECT_NEAR(r.effect, r.first + r.second / 2, 1e-14);
      EXPECT_GT(std::abs(r.effect - r.first), 1e-6);  // first order alone is not
    }
  }
}

// A family that shrinks the displacement: the neuron's weights move towards one slot, so that replacing it by that slot
// moves it by (1 - q) times a fixed displacement.
TEST(Interventions, ErrorsShrinkWithTheSquareAndTheCubeOfTheDisplacement) {
  const auto model =
      model_of({random_dense("a", {12}, {16}, 5), random_dense("b", {16}, {14}, 6), random_dense("c", {14}, {12}, 7)},
               head_of(3, 1.f));
  const auto batch = std::make_shared<RandomBatch>(*model, 16, false, 3);
  Threads threads(1);
  const std::size_t neuron = 3;
  const std::uint8_t slot = 6;
  const auto errors = [&](double weight) {  // of the slot; the others share the rest evenly
    for (std::size_t k = 0; k < kSlots; ++k) model->neurons()[0]->logits.row(neuron)[k] = 0;
    model->neurons()[0]->logits.row(neuron)[slot] = static_cast<float>(std::log(15 * weight / (1 - weight)));
    const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
    const auto r =
        measure_effects(network, samples_of(batch), {{neuron, {slot}}}, {true, true}, threads, kNoProgress)[0][0];
    return std::array{std::sqrt(r.displacement), std::abs(r.effect - r.first),
                      std::abs(r.effect - r.first - r.second / 2)};
  };
  const auto far = errors(0.96), near = errors(0.995);
  const double shrink = near[0] / far[0];
  EXPECT_NEAR(shrink, 0.125, 0.01);
  EXPECT_NEAR(std::log(near[1] / far[1]) / std::log(shrink), 2, 0.1);
  EXPECT_NEAR(std::log(near[2] / far[2]) / std::log(shrink), 3, 0.15);
}

TEST(Interventions, DoNotDependOnThreads) {
  const auto model = tiny_tree_model(4);
  const auto batch = std::make_shared<RandomBatch>(*model, 40, true, 5);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  std::vector<NeuronSlots> neurons;
  for (std::size_t n = 0; n < 80; ++n) neurons.push_back({n, {0, 7, 9}});
  Threads one(1), three(3);
  const auto a = measure_effects(network, samples_of(batch), neurons, {true, true}, one, kNoProgress);
  const auto b = measure_effects(network, samples_of(batch), neurons, {true, true}, three, kNoProgress);
  for (std::size_t n = 0; n < neurons.size(); ++n)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(a[n][j].effect, b[n][j].effect);
      EXPECT_EQ(a[n][j].second, b[n][j].second);
    }
  const ScoreSums s = measure_scores(network, samples_of(batch), one, kNoProgress);
  const ScoreSums t = measure_scores(network, samples_of(batch), three, kNoProgress);
  EXPECT_EQ(s.sums, t.sums);
  EXPECT_EQ(s.loss, t.loss);
}

}  // namespace
}  // namespace firn
