// Networks as arrays, histories, bytes and validation sets, as a binding to another language uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "firn/base/file.h"
#include "firn/firn.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace {

using ::testing::HasSubstr;

// Two features of bytes, one bit each; class 1 where the bits differ.
firn::WrittenNetwork two_bits() {
  firn::WrittenNetwork written{.shape = {2}, .thresholds = {127}, .layers = {}, .classes = 2};
  written.layers.push_back({.wires = {0, 1, 0, 1}, .gates = {9, 6}});
  return written;
}

TEST(WrittenNetwork, BecomesACircuit) {
  const firn::Circuit circuit = firn::circuit_from(two_bits());
  const std::vector<std::uint8_t> samples = {0, 0, 0, 200, 200, 0, 200, 200};
  EXPECT_EQ(circuit.predict(samples), (std::vector<std::uint16_t>{0, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(circuit.tau(), 1);
  const auto layers = firn::summarize_layers(circuit);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].neurons, 2u);
  EXPECT_EQ(layers[0].gates, circuit.netlist().gates.size());
}

TEST(WrittenNetwork, BecomesANetworkThatComputesTheSame) {
  const firn::Network network = firn::network_from(two_bits());
  EXPECT_EQ(network.frozen(), 2u);
  EXPECT_TRUE(network.compile().verify(firn::circuit_from(two_bits())).is_proved);
  EXPECT_EQ(firn::Network::from_bytes(network.to_bytes()).to_bytes(), network.to_bytes());
  const auto layers = firn::layers_of(network);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_THAT(layers[0].gates, ::testing::ElementsAre(9, 6));
  EXPECT_THAT(layers[0].wires, ::testing::ElementsAre(0, 1, 0, 1));
}

TEST(WrittenNetwork, LogitsLeaveItRelaxed) {
  firn::WrittenNetwork written = two_bits();
  written.layers[0].gates.clear();
  written.layers[0].logits.assign(32, 0.f);
  written.layers[0].logits[9] = written.layers[0].logits[16 + 6] = 3;
  const firn::Network network = firn::network_from(written);
  EXPECT_EQ(network.frozen(), 0u);
  EXPECT_TRUE(network.compile().verify(firn::circuit_from(two_bits())).is_proved);
  EXPECT_THROW(firn::circuit_from(written), firn::Error);
}

// A filter is the AND of two neighbours; pooled and counted, it finds two set bits beside each other.
TEST(WrittenNetwork, TreesAndPoolsArePlacedAllOverTheImage) {
  firn::WrittenNetwork written{.shape = {1, 4, 4}, .thresholds = {0}, .layers = {}, .classes = 2};
  written.layers.push_back({.kind = "tree-conv",
                            .wires = {0, 0, 0, 0},
                            .places = {4, 5, 4, 5},
                            .gates = {14, 1},
                            .leaves = 2,
                            .window = 3,
                            .padding = 1});
  written.layers.push_back({.kind = "or-pool"});
  const firn::Circuit circuit = firn::circuit_from(written);
  EXPECT_EQ(circuit.output_bits(), 8u);
  std::vector<std::uint8_t> sample(16);
  sample[5] = sample[6] = 1;
  EXPECT_EQ(circuit.class_sums(sample), (std::vector<std::uint32_t>{4, 1}));
  sample[6] = 0;
  EXPECT_EQ(circuit.class_sums(sample), (std::vector<std::uint32_t>{4, 0}));
  EXPECT_TRUE(firn::network_from(written).compile().verify(circuit).is_proved);
}

TEST(WrittenNetwork, MistakesNameTheLayer) {
  const auto refusal = [](const firn::WrittenNetwork& written) -> std::string {
    for (const bool as_network : {false, true}) try {
        as_network ? (void)firn::network_from(written) : (void)firn::circuit_from(written);
        return "accepted";
      } catch (const firn::Error& error) {
        if (as_network) return error.what();
      }
    return "";
  };
  const auto with = [&](const auto& change) {
    firn::WrittenNetwork written = two_bits();
    change(written);
    return refusal(written);
  };
  EXPECT_THAT(with([](auto& w) { w.layers[0].wires[3] = 2; }), HasSubstr("layer 1 (dense): a wire leads to 2"));
  EXPECT_THAT(with([](auto& w) { w.layers[0].gates[0] = 16; }), HasSubstr("no gate 16"));
  EXPECT_THAT(with([](auto& w) { w.layers[0].gates.pop_back(); }), HasSubstr("1 gates, but 2"));
  EXPECT_THAT(with([](auto& w) { w.layers[0].wires.pop_back(); }), HasSubstr("3 wires"));
  EXPECT_THAT(with([](auto& w) { w.layers[0].kind = "pool"; }), HasSubstr("kind"));
  EXPECT_THAT(with([](auto& w) { w.layers.clear(); }), HasSubstr("at least one layer"));
  EXPECT_THAT(with([](auto& w) { w.classes = 1; }), HasSubstr("1 classes"));
  EXPECT_THAT(with([](auto& w) { w.classes = 3; }), HasSubstr("3 equal groups"));
  EXPECT_THAT(with([](auto& w) { w.thresholds = {300}; }), HasSubstr("300"));
  EXPECT_THAT(with([](auto& w) { w.thresholds = {}; }), HasSubstr("thresholds"));
  EXPECT_THAT(with([](auto& w) { w.shape = {std::size_t{1} << 40, std::size_t{1} << 40}; }), HasSubstr("shape"));
  EXPECT_THAT(with([](auto& w) {
                w.layers[0] = {.kind = "tree-conv", .wires = {0, 0, 0}, .leaves = 3};
              }),
              HasSubstr("leaves"));
  EXPECT_THAT(with([](auto& w) { w.tau = 0; }), HasSubstr("tau"));
}

// Noise with a label that its first value decides.
struct Noise {
  std::vector<float> values;
  std::vector<std::int64_t> labels;

  explicit Noise(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform;
    for (std::size_t s = 0; s < count; ++s) {
      for (int f = 0; f < 4; ++f) values.push_back(uniform(random));
      labels.push_back(values[4 * s] > 0.5f);
    }
  }
};

firn::Config written_config() {
  firn::Config config = firn::Config::from_toml("[model]\nfamily = 'dense'\nwidth = 40\nlayers = 2");
  const std::vector<std::pair<std::string, std::string>> values = {
      {"train.steps", "60"},        {"train.eval_every", "20"},    {"train.batch", "32"},
      {"freeze.strategy", "task"},  {"freeze.task.interval", "2"}, {"freeze.task.half_life", "2"},
      {"freeze.task.patience", "1"}};
  return config.set(values);
}

TEST(History, IsTheSameInAFolderAndInMemory) {
  const firn::TemporaryFolder folder;
  const std::string path = (folder / "run").string();
  const Noise noise(300, 1);
  const firn::Dataset data = firn::Dataset::view(noise.values, noise.labels, {4});
  firn::History heard;
  firn::TrainOptions options;
  options.on_eval = [&](const firn::TrainProgress& p) { heard.evaluations.push_back(p); };
  options.on_freeze = [&](const firn::FreezeRecord& f) { heard.freezes.push_back(f); };
  const firn::Network network = firn::train(written_config(), data, options);
  firn::train(written_config(), data, {.folder = path});
  const firn::History read = firn::read_history(path);
  ASSERT_EQ(read.evaluations.size(), 3u);
  ASSERT_EQ(read.freezes.size(), heard.freezes.size());
  EXPECT_EQ(heard.freezes.size(), network.frozen());
  EXPECT_GT(network.frozen(), 0u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.evaluations[i].steps, 60u);
    EXPECT_EQ(read.evaluations[i].step, heard.evaluations[i].step);
    EXPECT_DOUBLE_EQ(read.evaluations[i].relaxed.loss, heard.evaluations[i].relaxed.loss);
  }
  for (std::size_t i = 0; i < read.freezes.size(); ++i) {
    EXPECT_EQ(read.freezes[i].layer, heard.freezes[i].layer);
    EXPECT_EQ(read.freezes[i].neuron, heard.freezes[i].neuron);
    EXPECT_EQ(read.freezes[i].gate, heard.freezes[i].gate);
  }
  EXPECT_THROW(firn::read_history((folder / "none").string()), firn::Error);
  std::ofstream(folder / "run" / "metrics.jsonl", std::ios::app) << "no evaluation\n";
  EXPECT_THROW(firn::read_history(path), firn::Error);
}

TEST(History, NumbersThatTrainingNeverWritesAreRefused) {
  const firn::TemporaryFolder folder;
  std::ofstream(folder / "config.toml") << "[model]\nfamily = 'dense'\n";
  std::ofstream(folder / "last.safetensors");  // enough for a history
  const auto error_with = [&](const char* file, const char* text) {
    std::ofstream(folder / file) << text;
    return firn::error_of([&] { firn::read_history(folder.path().string()); });
  };
  const char* const evaluation =
      "{\"step\":1e300,\"train_loss\":1,\"relaxed\":{\"loss\":1},\"discrete\":{\"loss\":1},\"frozen\":0,"
      "\"learning_rate\":1,\"seconds_left\":0}\n";
  EXPECT_THAT(error_with("metrics.jsonl", evaluation), HasSubstr("line 1: this is not an evaluation of a run"));
  std::filesystem::remove(folder / "metrics.jsonl");
  EXPECT_THAT(error_with("freezes.csv", "step,layer,neuron,slot,opcode,score,entropy\n10,conv1,-1,3,5,0.1,0.2\n"),
              HasSubstr("\"-1\" is not a whole number"));
}

TEST(Dataset, AValidationSetOfItsOwnIsWhatTrainingMeasures) {
  const Noise noise(300, 1), other(100, 2);
  const firn::Dataset data =
      firn::Dataset::view(noise.values, noise.labels, {4}).with_validation(other.values, other.labels);
  firn::TrainProgress last;
  const firn::Network network =
      firn::train(written_config(), data, {.on_eval = [&](const firn::TrainProgress& p) { last = p; }});
  const firn::Evaluation seen = network.evaluate(other.values, other.labels);
  EXPECT_DOUBLE_EQ(last.discrete.accuracy, seen.discrete.accuracy);
  EXPECT_NEAR(last.relaxed.loss, seen.relaxed.loss, 1e-6);
  const firn::Dataset::Copy copy = data.copy_train();
  EXPECT_EQ(copy.labels.size(), 400u);
  EXPECT_EQ(std::vector(copy.floats.begin(), copy.floats.begin() + 1200), noise.values);
  const std::vector<std::uint8_t> bytes(8), labels(2, 1);
  EXPECT_THROW(data.with_validation(bytes, labels), firn::Error);
}

TEST(Bytes, AreThoseOfTheFiles) {
  const firn::TemporaryFolder folder;
  const Noise noise(300, 1);
  const firn::Network network = firn::train(written_config(), firn::Dataset::view(noise.values, noise.labels, {4}));
  network.save((folder / "a.safetensors").string());
  EXPECT_EQ(network.to_bytes(), firn::read_file(folder / "a.safetensors"));
  const firn::Circuit circuit = network.compile();
  circuit.save((folder / "a.firn").string());
  EXPECT_EQ(circuit.to_bytes(), firn::read_file(folder / "a.firn"));
  EXPECT_TRUE(circuit.verify(firn::Circuit::from_bytes(circuit.to_bytes())).is_proved);
}

TEST(Config, IsCalledLikeItsFileUnlessItHasAName) {
  const firn::TemporaryFolder folder;
  firn::write_file(folder / "mine.toml", "[train]\nsteps = 3\n");
  EXPECT_EQ(firn::Config::named((folder / "mine.toml").string()).get("name"), "\"mine\"");
  EXPECT_EQ(firn::Config::named("treelogicnet-s").to_toml(), firn::Config::preset("treelogicnet-s").to_toml());
  EXPECT_THROW(firn::Config::named("treelogicnet-xl"), firn::Error);
}

TEST(Format, IsKnownByItsNameAndByItsFile) {
  EXPECT_EQ(firn::format_from_name("verilog"), firn::Format::kVerilog);
  EXPECT_EQ(firn::format_of_file("a/b.c"), firn::Format::kC);
  EXPECT_EQ(firn::format_of_file("b.aag"), firn::Format::kAsciiAiger);
  EXPECT_THROW(firn::format_from_name("vhdl"), firn::Error);
  EXPECT_THROW(firn::format_of_file("b.txt"), firn::Error);
}

TEST(Study, SweepsAndReports) {
  const firn::TemporaryFolder folder;
  firn::write_file(folder / "base.toml",
                   "[data]\nsource = 'majority'\n[encode]\nencoding = 'passthrough'\n[model]\nfamily = 'dense'\n"
                   "width = 60\nlayers = 2\n[train]\nsteps = 40\n");
  firn::write_file(folder / "sweep.toml", "name = 's'\nbase = 'base.toml'\n[grid]\nseed = [1, 2]\n");
  std::size_t heard = 0;
  firn::SweepOptions options{.folder = (folder / "out").string()};
  options.on_result = [&](const firn::SweepResult&) { ++heard; };
  const firn::SweepOutcome outcome = firn::sweep((folder / "sweep.toml").string(), options);
  EXPECT_TRUE(outcome.is_complete);
  ASSERT_EQ(outcome.results.size(), 2u);
  EXPECT_EQ(heard, 2u);
  EXPECT_TRUE(std::filesystem::exists(outcome.results[0].folder));
  EXPECT_FALSE(outcome.table.empty());

  const firn::SweepOptions shared{.folder = (folder / "shared").string(), .jobs = 2, .worker = true};
  const firn::SweepOutcome by_workers = firn::sweep((folder / "sweep.toml").string(), shared);
  EXPECT_TRUE(by_workers.is_complete);
  EXPECT_EQ(by_workers.table, outcome.table);
  const firn::SweepStatus status = firn::sweep_status((folder / "sweep.toml").string(), shared);
  ASSERT_EQ(status.tasks.size(), 2u);
  EXPECT_EQ(status.tasks[0].state, "done");
  EXPECT_EQ(status.steps_left, 0u);
  EXPECT_TRUE(status.workers.empty());
  EXPECT_THROW(firn::write_report({(folder / "none").string()}, (folder / "a.html").string()), firn::Error);

  const std::string checkpoint = outcome.results[0].folder + "/last.safetensors";
  const std::string before = firn::read_text(checkpoint);
  EXPECT_THROW(firn::write_report({(folder / "out").string()}, checkpoint), firn::Error);
  EXPECT_EQ(firn::read_text(checkpoint), before);
  const std::string runs = (folder / "runs.csv").string();
  firn::write_file(runs, "base = 'base.toml'\n[grid]\nseed = [1, 2]\n");
  EXPECT_THROW(firn::sweep(runs, {.folder = folder.path().string()}), firn::Error);
}

}  // namespace
