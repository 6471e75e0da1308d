#include "firn/diagnose/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "firn/diagnose/verify.h"
#include "firn/discretize/lowest_score.h"
#include "tests/support/brute_force.h"

namespace firn {
namespace {

const OnStage kSilent = [](std::string_view, std::uint64_t, std::uint64_t) {};
const OnWork kQuiet = [](std::uint64_t, std::uint64_t) {};

struct Patient {
  explicit Patient(std::unique_ptr<Model> m)
      : model(std::move(m)),
        halves{samples_of(std::make_shared<RandomBatch>(*model, 20, true, 1)),
               samples_of(std::make_shared<RandomBatch>(*model, 13, true, 2))},
        network(*model, task_loss_from_name("cross-entropy"), 1) {}

  Diagnosis diagnosis(const DiagnoseSettings& settings) const {
    Threads threads(2);
    return diagnose::diagnose(network, halves, settings, threads, kSilent);
  }

  std::unique_ptr<Model> model;
  std::array<SampleSet, 2> halves;
  ConeNetwork network;
};

TEST(Diagnosis, EffectsAreThoseOfAllSamplesAndLeaveFrozenNeuronsOut) {
  auto model = tiny_tree_model(3);
  freeze_some(*model->neurons()[0], 0.3, 8);
  const std::size_t frozen = model->neurons()[0]->frozen_count();
  ASSERT_GT(frozen, 0u);
  const Patient patient(std::move(model));
  const Diagnosis d = patient.diagnosis({});
  EXPECT_EQ(d.samples, 33u);
  EXPECT_EQ(d.frozen_neurons, frozen);
  EXPECT_EQ(d.effects.size(), 5u * 7 + 7 * 3 - frozen);  // convolutions only
  const BruteForce a(*patient.model, RandomBatch(*patient.model, 20, true, 1)),
      b(*patient.model, RandomBatch(*patient.model, 13, true, 2));
  for (std::size_t i = 0; i < d.effects.size(); i += 6) {
    const FreezeEffect& e = d.effects[i];
    EXPECT_FALSE(patient.network.mixtures().is_frozen(e.neuron));
    const std::size_t group = e.neuron < 35 ? 0 : 1, n = e.neuron - 35 * group;
    const auto check = [&](std::size_t slot, const SlotEffect& measured) {
      const auto gain = [&](const BruteForce& judge) {
        return judge.risk<Extended>(group, n, slot, 1) - judge.soft_risk();
      };
      const auto expected = static_cast<double>((20 * gain(a) + 13 * gain(b)) / 33);
      EXPECT_NEAR(measured.effect, expected, 1e-7 * std::abs(expected) + 1e-16);
    };
    check(e.argmax, e.argmax_effect);
    check(e.selected, e.selected_effect);
    EXPECT_LE(e.selected_score, e.argmax_score);
  }
}

TEST(Diagnosis, SummariesHaveALinePerConvolutionAndOneForAll) {
  const Patient patient(tiny_compact_model(3));
  const Diagnosis d = patient.diagnosis({});
  ASSERT_EQ(d.effect_summaries.size(), 3u);
  EXPECT_EQ(d.effect_summaries[0].layer, "conv1");
  EXPECT_EQ(d.effect_summaries[1].neurons, 7u);
  EXPECT_EQ(d.effect_summaries[2].layer, "all");
  std::vector<double> score, effect;
  std::size_t same = 0;
  for (const FreezeEffect& e : d.effects) {
    score.push_back(e.argmax_score);
    effect.push_back(e.argmax_effect.effect);
    same += (e.argmax_score < 0) == (e.argmax_effect.effect < 0);
  }
  EXPECT_EQ(d.effect_summaries[2].argmax.value, spearman(score, effect));
  EXPECT_DOUBLE_EQ(d.effect_summaries[2].same_sign, static_cast<double>(same) / 12);
}

TEST(Diagnosis, LocalityKnowsEverySlot) {
  const Patient patient(tiny_tree_model(5));
  DiagnoseSettings settings;
  settings.neurons = 4;
  const Diagnosis d = patient.diagnosis(settings);
  ASSERT_TRUE(d.locality.has_value());
  EXPECT_EQ(d.locality->neurons.size(), 8u);  // two convolutions
  EXPECT_LT(d.locality->disagreement, 1e-10);
  std::size_t slots = 0;
  for (const DisplacementBin& bin : d.locality->bins) slots += bin.slots;
  EXPECT_EQ(slots, 8u * kSlots);
  for (const LocalNeuron& n : d.locality->neurons) {
    const auto same = std::find_if(d.effects.begin(), d.effects.end(), [&](auto& e) { return e.neuron == n.neuron; });
    ASSERT_NE(same, d.effects.end());
    EXPECT_DOUBLE_EQ(same->argmax_effect.effect, n.slots[same->argmax].effect);
    EXPECT_DOUBLE_EQ(same->argmax_effect.displacement, n.slots[same->argmax].displacement);
    EXPECT_DOUBLE_EQ(n.first_error(3), std::abs(n.slots[3].effect - n.scores[3]));
  }
}

TEST(Diagnosis, HeldOutSelectsOnOneHalfAlone) {
  const Patient patient(tiny_tree_model(5));
  const Diagnosis d = patient.diagnosis({});
  Threads threads(1);
  for (std::size_t half = 0; half < 2; ++half) {
    const ScoreSums scores = measure_scores(patient.network, patient.halves[half], threads, kQuiet);
    std::size_t seen = 0;
    for (const HeldOutChoice& c : d.held_out->choices) {
      if (c.half != half) continue;
      ++seen;
      EXPECT_EQ(c.selected, lowest_score(scores.scores(patient.network, c.neuron), c.argmax));
      EXPECT_NE(c.selected, c.argmax);
    }
    EXPECT_GT(seen, 10u);
  }
  const HeldOutChoice& c = d.held_out->choices.front();
  const auto on_b = measure_effects(patient.network, patient.halves[1],
                                    {{c.neuron, {static_cast<std::uint8_t>(c.selected)}}}, {}, threads, kQuiet);
  EXPECT_DOUBLE_EQ(c.selected_effect[1], on_b[0][0].effect);
}

// Behind gates that ignore their operands all scores are 0, and nothing speaks against the argmax slot.
TEST(Diagnosis, NeuronsWithoutAnyScoreKeepTheirArgmaxSlot) {
  auto model = tiny_tree_model(5);
  std::ranges::fill(model->neurons()[1]->frozen, static_cast<std::int8_t>(Gate::kTrue));
  const Patient patient(std::move(model));
  const Diagnosis d = patient.diagnosis({});
  ASSERT_EQ(d.effects.size(), 35u);  // the first convolution
  for (const FreezeEffect& e : d.effects) {
    EXPECT_EQ(e.selected, e.argmax);
    EXPECT_EQ(e.selected_score, 0);
  }
  EXPECT_EQ(d.effect_summaries[0].disagree, 0);
  EXPECT_TRUE(d.held_out->choices.empty());
}

TEST(Diagnosis, OnlyWhatIsAskedForIsMeasured) {
  const Patient patient(tiny_tree_model(5));
  DiagnoseSettings settings;
  settings.effects = settings.locality = false;
  const Diagnosis d = patient.diagnosis(settings);
  EXPECT_TRUE(d.effects.empty() && d.effect_summaries.empty());
  EXPECT_FALSE(d.locality.has_value());
  EXPECT_TRUE(d.held_out.has_value());
}

TEST(HeldOut, RatesCountTheNearestChoicesFirst) {
  std::vector<HeldOutChoice> choices;
  for (std::size_t i = 0; i < 10; ++i)  // far choices win at home, near ones away
    choices.push_back({0, i, 0, 1, 1 - 0.1 * static_cast<double>(i), {0, 0}, {i < 5 ? -1.0 : 1.0, i < 5 ? 1.0 : -1.0}});
  const HeldOut result = summarize_held_out(choices);
  const auto at = [&](double fraction) {
    return *std::find_if(result.rates.begin(), result.rates.end(), [&](auto& r) { return r.fraction == fraction; });
  };
  EXPECT_EQ(at(0.5).choices, 5u);
  EXPECT_DOUBLE_EQ(at(0.5).same[0], 0);
  EXPECT_DOUBLE_EQ(at(0.5).other[0], 1);
  EXPECT_DOUBLE_EQ(at(1.0).same[0], 0.5);
  EXPECT_DOUBLE_EQ(at(1.0).same[1], 0);  // nobody chose on B
}

TEST(Locality, DrawsNeuronsOfEveryConvolutionThatAreStillFree) {
  const auto model = tiny_tree_model(2);
  freeze_some(*model->neurons()[0], 0.5, 4);
  const Mixtures mixtures(*model, 1);
  const auto some = draw_neurons(mixtures, 5, 1), many = draw_neurons(mixtures, 1000, 1);
  EXPECT_EQ(some.size(), 10u);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_NE(some, draw_neurons(mixtures, 5, 2));
  EXPECT_EQ(many.size(), 35 + 21 - model->neurons()[0]->frozen_count());
  for (std::size_t n : many) EXPECT_FALSE(mixtures.is_frozen(n));
}

TEST(Verify, AgreesWithTheReferenceAndStartsWithTheMostSaturated) {
  for (auto* make : {tiny_tree_model, tiny_compact_model}) {
    const Patient patient(make(6));
    const Mixtures& mixtures = patient.network.mixtures();
    const auto neurons = neurons_to_check(mixtures, 4, 1);
    EXPECT_EQ(neurons.size(), 8u);
    for (std::size_t n = 0; n < mixtures.groups()[0].count; ++n)
      EXPECT_LE(mixtures.entropy(neurons[0]), mixtures.entropy(n));
    Threads threads(2);
    for (const CheckedEffect& c :
         verify_effects(*patient.model, patient.network, 1, patient.halves[1], neurons, threads, kQuiet)) {
      EXPECT_TRUE(!c.is_resolved() || c.error() < 1e-8) << c.neuron << " " << c.measured << " " << c.expected;
      EXPECT_EQ(c.slot, mixtures.chosen(c.neuron));
    }
  }
  EXPECT_GT((CheckedEffect{0, 0, 0, 1.01e-6, 1e-6}.error()), 9e-3);
}

}  // namespace
}  // namespace firn
