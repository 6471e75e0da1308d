// A kind of layer that exists only here is trained, diagnosed, compiled, exported, proved, saved and loaded like those
// that Firn brings: chains of three gates that slide along a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "firn/api/network.h"
#include "firn/base/file.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/exchange/format.h"
#include "firn/infer/predictor.h"
#include "firn/prove/equivalence.h"
#include "firn/study/circuit_source.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/diagnose_checkpoint.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/export_circuit.h"
#include "firn/study/session.h"
#include "firn/theory/gate_list.h"
#include "tests/support/brute_force.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

// Gate 1 reads two taps, gate 2 gate 1 and a tap, gate 3 gate 2 and a tap.
struct ChainSettings final : LayerSettings {
  std::size_t filters = 0;

  void declare(KeyTable& keys) override { keys.add("filters", filters, "Chains.", at_least(1)); }

  LayerDescription build(const LayerPlace& place) const override {
    LayerDescription layer;
    layer.output.channels = filters;
    layer.is_convolution = true;
    layer.taps = 4;
    layer.gates = 3;
    layer.operands = {0, 1, 4, 2, 3, 5};
    place_window(place, /*side=*/3, /*padding=*/1, /*stride=*/1, /*pool=*/2, layer);
    RandomSequence random = place.random(filters * layer.gates);
    for (std::size_t t = 0; t < filters * layer.taps; ++t) {
      layer.tap_channel.push_back(random.below(static_cast<std::uint32_t>(place.input.channels)));
      layer.tap_place.push_back(static_cast<std::uint8_t>(random.below(3)));
    }
    return layer;
  }
};

std::unique_ptr<LayerSettings> make_chain() {
  return std::make_unique<ChainSettings>();
}

constexpr const char* kConfig = R"(
name = "chains"
[encode]
encoding = "passthrough"
[[model.layer]]
kind = "chain-conv"
filters = 20
[[model.layer]]
kind = "dense"
outputs = 160
[[model.layer]]
kind = "slot-dense"
outputs = 80
[train]
steps = 250
batch = 32
shard = 16
eval_every = 250
learning_rate = 0.05
[freeze]
strategy = "task"
start = 100
task.interval = 10
task.half_life = 50
)";

// Is there a pair of ones side by side?
Dataset pairs_of_ones() {
  constexpr std::size_t kCount = 600, kLength = 14;
  RandomSequence random(5, "test/chains");
  Matrix<std::uint8_t> bytes(kCount, kLength);
  Dataset data;
  data.name = "pairs";
  data.shape = {1, 1, kLength};
  data.classes = 2;
  for (std::size_t s = 0; s < kCount; ++s) {
    bool pair = false;
    for (std::size_t f = 0; f < kLength; ++f) {
      bytes[s][f] = random.below(4) == 0 ? 255 : 0;
      pair |= f > 0 && bytes[s][f] != 0 && bytes[s][f - 1] != 0;
    }
    data.train.labels.push_back(pair);
  }
  data.train.bytes = std::move(bytes);
  return data;
}

class OwnKindTest : public ::testing::Test {
 protected:
  OwnKindTest() {
    parts_.layer_kinds.push_back({"chain-conv", "chains of three gates", "conv", make_chain});
    config_ = parse_config(kConfig, "chains.toml", {}, parts_);
  }

  // A trained run with its checkpoint in folder_ / "run".
  void train() {
    study::Run run(config_, pairs_of_ones(), threads_);
    const RunFolder folder(folder_ / "run");
    std::filesystem::create_directories(folder.path());
    write_file(folder.config(), to_toml(config_));
    ASSERT_TRUE(run.train(folder, {}));
  }

  std::filesystem::path checkpoint() const { return folder_ / "run" / "last.safetensors"; }

  TemporaryFolder folder_;
  Parts parts_ = standard_parts();
  Config config_;
  Threads threads_{2};
};

TEST_F(OwnKindTest, IsUnknownToOthersAndReadBackByItsOwn) {
  EXPECT_THROW(parse_config(kConfig, "chains.toml"), Error);
  const Config back = parse_config(to_toml(config_), "written.toml", {}, parts_);
  EXPECT_EQ(back.model.layer, config_.model.layer);
  EXPECT_EQ(back.model.family, "list");
}

TEST_F(OwnKindTest, LearnsAndFreezes) {
  train();
  const RebuiltModel rebuilt = rebuild_model(Checkpoint::read(checkpoint()), parts_);
  EXPECT_EQ(rebuilt.model->description().layers[0].kind, "chain-conv");
  EXPECT_GT(rebuilt.model->neurons()[0]->frozen_count(), 5u);
  const Dataset data = pairs_of_ones();
  Evaluator evaluator(*rebuilt.model, rebuilt.encoder, loss_from_name(config_.train.loss), 1, 2, threads_);
  const auto indices = all_indices(data.train.count());
  EXPECT_GT(evaluator.run(data.train, indices, EvaluationMode::kRelaxed).accuracy(), 0.85);
  const double discrete = evaluator.run(data.train, indices, EvaluationMode::kDiscrete).accuracy();
  EXPECT_GT(discrete, 0.7);
  EXPECT_EQ(evaluator.run(data.train, indices, EvaluationMode::kArgmaxOnReals).accuracy(), discrete);
  EXPECT_THROW(api::Network::load(checkpoint()), Error);  // which does not know the kind
  EXPECT_EQ(api::Network::load(checkpoint(), api::Config(config_)).step(), 250u);
}

TEST_F(OwnKindTest, IsDiagnosedAsBruteForceSays) {
  const auto model = build_model(config_.model, {1, 1, 14}, 2, 3, parts_.layer_kinds);
  const auto batch = std::make_shared<RandomBatch>(*model, 6, /*binary=*/true, 2);
  const ConeNetwork network(*model, task_loss_from_name("cross-entropy"), 1);
  const BruteForce judge(*model, *batch, 1, "cross-entropy");
  const SampleSet samples{
      {batch->labels().begin(), batch->labels().end()},
      [&](std::size_t first, std::size_t count, Matrix<float>& rows) { batch->write_rows(first, count, 0, rows); }};
  const Extended soft = judge.soft_risk();
  for (const std::size_t neuron : {0u, 1u, 2u, 40u, 59u}) {
    const auto effects =
        measure_effects(network, samples, {{neuron, {6, 9}}}, {true, true}, threads_, [](auto, auto) {});
    for (std::size_t j = 0; j < 2; ++j) {
      const double expected = static_cast<double>(judge.risk<Extended>(0, neuron, j == 0 ? 6 : 9, 1) - soft);
      EXPECT_NEAR(effects[0][j].effect, expected, 1e-12 + 1e-9 * std::abs(expected)) << neuron;
    }
  }
}

TEST_F(OwnKindTest, IsCompiledExportedProvedSavedAndLoaded) {
  train();
  const CompiledCircuit compiled = compile_checkpoint(checkpoint(), {.parts = &parts_});
  write_model(folder_ / "chains.firn", compiled.model);
  const CircuitModel back = read_model(folder_ / "chains.firn");
  const CircuitSource source = load_circuit(checkpoint().string(), parts_);
  const auto stored = comparisons_of(source, {"chains.firn", back, std::nullopt});
  EXPECT_TRUE(check_equivalence(stored[0].first, stored[0].second).proved());
  for (const FormatEntry& format : formats()) {
    const std::string file = (folder_ / ("chains." + std::string(format.extension))).string();
    write_export(file,
                 export_circuit(back, format, {.name = "chains", .source = "chains.firn", .head = HeadForm::kBinary}));
    const auto exported = comparisons_of(source, load_circuit(file, parts_));
    EXPECT_TRUE(check_equivalence(exported[0].first, exported[0].second).proved()) << format.name;
  }
  // The layers of the file, gate by gate, and the circuit.
  const Dataset data = pairs_of_ones();
  CircuitModel direct = back;
  direct.netlist.reset();
  std::vector<std::uint16_t> by_circuit(data.train.count()), by_layers(data.train.count());
  const auto predict = [&](const CircuitModel& model, std::vector<std::uint16_t>& classes) {
    const auto machine = make_machine(model);
    Predictor(model, *machine, threads_).predict(data.train, 0, classes);
  };
  predict(back, by_circuit);
  predict(direct, by_layers);
  EXPECT_EQ(by_circuit, by_layers);
}

TEST_F(OwnKindTest, HasAGateListForTheory) {
  Config shared = config_;
  shared.model.layer.pop_back();  // slots of their own have no such list
  const auto model = build_model(shared.model, {1, 1, 14}, 2, 3, parts_.layer_kinds);
  const GateList list = list_gates(*model);
  EXPECT_TRUE(list.is_shared);
  EXPECT_TRUE(list.has_pool);
  EXPECT_EQ(list.neurons, 20u * 3 + 160);
}

}  // namespace
}  // namespace firn
