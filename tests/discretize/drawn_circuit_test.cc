#include "firn/discretize/drawn_circuit.h"

#include <gtest/gtest.h>

#include "tests/support/random_models.h"

namespace firn {
namespace {

constexpr std::size_t kWords = 8;
constexpr std::size_t kSamples = 100;

// The loss of a whole Boolean network, evaluated from the input on.
double whole_loss(const BooleanNetwork& circuit, const Matrix<std::uint64_t>& bits,
                  std::span<const std::uint16_t> labels) {
  const Head& head = circuit.head;
  Threads threads(1);
  BitEvaluator evaluator(circuit, kWords);
  const auto& counts = evaluator.count(bits, threads);
  Matrix<float> sums(head.groups, evaluator.samples());
  for (std::size_t c = 0; c < head.groups; ++c)
    for (std::size_t s = 0; s < labels.size(); ++s)
      sums.row(c)[s] = head.offset + head.factor * static_cast<float>(counts[c * evaluator.samples() + s]);
  return cross_entropy(sums, labels, 1, nullptr).loss;
}

class DrawnCircuits : public testing::TestWithParam<TinyFamily> {
 protected:
  DrawnCircuits() : model_(GetParam().make(3)), batch_(*model_, kSamples, /*binary=*/true, 5) {
    bits_ = Matrix<std::uint64_t>(model_->input().shape.size(), kWords);
    Threads threads(1);
    batch_.write_bits(0, kSamples, bits_, threads);
  }

  BooleanNetwork draw(std::uint64_t seed) {
    RandomSequence random(seed, "test/draw");
    return draw_circuit(*model_, 1, random);
  }

  std::unique_ptr<Model> model_;
  RandomBatch batch_;
  Matrix<std::uint64_t> bits_;
};

TEST_P(DrawnCircuits, ExchangedGatesGiveTheLossOfTheWholeCircuit) {
  const BooleanNetwork circuit = draw(1), other = draw(2);
  const Loss& loss = loss_from_name("cross-entropy");
  for (std::size_t group = 0; group < model_->neurons().size(); ++group) {
    const std::size_t layer = boolean_layer_of(circuit, group);
    DrawnCircuit opened(circuit, layer, bits_, batch_.labels(), loss);
    BooleanNetwork expected = circuit;
    const std::size_t neurons = model_->neurons()[group]->count();
    for (std::size_t i = 0; i < neurons; i += 1 + neurons / 7) {
      const WiredGate gate = gate_at(other.layers[layer], i);
      BooleanNetwork tried = expected;
      set_gate(tried.layers[layer], i, gate);
      const double wanted = whole_loss(tried, bits_, batch_.labels());
      EXPECT_DOUBLE_EQ(opened.loss_with(i, gate), wanted) << model_->neurons()[group]->name << " " << i;
      if (i % 2 == 1) continue;
      opened.exchange(i, gate);
      expected = tried;
    }
    EXPECT_DOUBLE_EQ(opened.loss_with(0, gate_at(expected.layers[layer], 0)),
                     whole_loss(expected, bits_, batch_.labels()));
  }
}

TEST_P(DrawnCircuits, KeepWhatIsFrozenAndLeaveTheModelAlone) {
  for (Neurons* group : model_->neurons()) freeze_some(*group, 0.4, 8);
  std::vector<std::vector<std::int8_t>> before;
  for (const Neurons* group : model_->neurons()) before.push_back(group->frozen);
  const BooleanNetwork circuit = draw(1);
  for (std::size_t g = 0; g < before.size(); ++g) {
    const Neurons& neurons = *model_->neurons()[g];
    EXPECT_EQ(neurons.frozen, before[g]);
    for (std::size_t i = 0; i < neurons.count(); ++i) {
      if (neurons.frozen[i] == kNotFrozen) continue;
      const auto slot = static_cast<std::size_t>(neurons.frozen[i]);
      EXPECT_EQ(gate_at(circuit.layers[boolean_layer_of(circuit, g)], i).gate, neurons.gate(i, slot));
    }
  }
}

// A slot is found where it stands: the model need not be hardened to see what it would be.
TEST_P(DrawnCircuits, SlotsAreWhatHardeningMakesOfThem) {
  for (std::size_t group = 0; group < model_->neurons().size(); ++group) {
    Neurons& neurons = *model_->neurons()[group];
    for (std::size_t i = 0; i < neurons.count(); i += 1 + neurons.count() / 5)
      for (std::size_t slot = 0; slot < kSlots; slot += 3) {
        const WiredGate wired = wired_slot(model_->wiring(group), neurons, i, slot);
        neurons.frozen[i] = static_cast<std::int8_t>(slot);
        const BooleanNetwork hardened = model_->harden();
        neurons.frozen[i] = kNotFrozen;
        const WiredGate expected = gate_at(hardened.layers[boolean_layer_of(hardened, group)], i);
        EXPECT_EQ(wired.gate, expected.gate);
        if (!wired.has_taps) continue;
        EXPECT_EQ(wired.channels, expected.channels);
        EXPECT_EQ(wired.places, expected.places);
      }
  }
}

// Over many draws a gate comes as often as its weight says.
TEST(DrawCircuit, FollowsTheWeights) {
  auto model = model_of({random_dense("a", {4}, {3}, 2)}, head_of(3, 1.f));
  Threads threads(1);
  model->prepare({WeightPlan{.forward_temperature = 2}}, threads);
  constexpr int kDraws = 20000;
  std::vector<double> share(3 * kSlots);
  for (int d = 0; d < kDraws; ++d) {
    RandomSequence random(static_cast<std::uint64_t>(d), "test/draws");
    const BooleanNetwork circuit = draw_circuit(*model, /*temperature=*/2, random);
    for (std::size_t i = 0; i < 3; ++i)
      share[i * kSlots + static_cast<std::size_t>(gate_at(circuit.layers[0], i).gate)] += 1.0 / kDraws;
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < kSlots; ++k)
      EXPECT_NEAR(share[i * kSlots + k], model->neurons()[0]->forward_weights[i][k], 0.016);
}

INSTANTIATE_TEST_SUITE_P(Families, DrawnCircuits, testing::ValuesIn(kTinyFamilies),
                         [](const auto& family) { return family.param.name; });

}  // namespace
}  // namespace firn
