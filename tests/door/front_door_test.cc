// The front door as a program uses it, with nothing but its own header.
#include "firn/firn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "firn/base/file.h"
#include "firn/c_api.h"
#include "tests/support/temporary_folder.h"

namespace {

using ::testing::HasSubstr;

constexpr const char* kConfig = R"(
[encode]
encoding = "uniform"
thresholds = 3
[[model.layer]]
kind = "tree-conv"
filters = 8
depth = 2
pool = 2
channels = "one"
[[model.layer]]
kind = "dense"
outputs = 120
[train]
steps = 120
eval_every = 40
batch = 32
learning_rate = 0.05
)";

// Images of 6 x 8 pixels, brighter on the left or on the right.
struct Images {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;

  explicit Images(std::size_t count, unsigned seed = 1) {
    std::mt19937 random(seed);
    for (std::size_t s = 0; s < count; ++s) {
      labels.push_back(static_cast<std::int32_t>(random() % 2));
      for (std::size_t p = 0; p < 48; ++p)
        pixels.push_back(static_cast<std::uint8_t>(random() % 150 + ((p % 8 < 4) == (labels[s] == 0) ? 100 : 0)));
    }
  }
};

class FrontDoor : public ::testing::Test {
 protected:
  FrontDoor()
      : config_(firn::Config::from_toml(kConfig)),
        data_(firn::Dataset::view(train_.pixels, train_.labels, {1, 6, 8})
                  .with_test(test_.pixels, test_.labels)
                  .with_class_names({"left", "right"})) {}

  std::string path(const char* name) const { return (folder_ / name).string(); }

  Images train_{600, 1}, test_{200, 2};
  firn::Config config_;
  firn::Dataset data_;
  firn::TemporaryFolder folder_;
};

// Several processes are the business of tests/journeys/ranks.py.
TEST_F(FrontDoor, AJobWithoutALauncherIsThisProcessAlone) {
  const firn::Job job;
  EXPECT_EQ(job.rank(), 0);
  EXPECT_EQ(job.size(), 1);
  firn::train(config_, data_, {.folder = path("job"), .job = &job});
  firn::train(config_, data_, {.folder = path("alone")});
  EXPECT_EQ(firn::read_file(path("job/last.safetensors")), firn::read_file(path("alone/last.safetensors")));
}

TEST_F(FrontDoor, LeadsFromArraysToAProvedCircuit) {
  std::vector<std::uint64_t> steps;
  const firn::Network network =
      firn::train(config_, data_, {.on_eval = [&](const firn::TrainProgress& p) { steps.push_back(p.step); }});
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{40, 80, 120}));
  EXPECT_EQ(network.neurons(), 8u * 3 + 120);
  const firn::Evaluation evaluation = network.evaluate_test(data_);
  EXPECT_GT(evaluation.discrete.accuracy, 0.9);
  EXPECT_EQ(evaluation.samples, 200u);

  const firn::Circuit circuit = network.compile();
  const std::vector<std::uint16_t> classes = circuit.predict(test_.pixels);
  EXPECT_EQ(classes, network.predict(test_.pixels));
  std::size_t right = 0;
  for (std::size_t s = 0; s < classes.size(); ++s) right += classes[s] == test_.labels[s];
  EXPECT_DOUBLE_EQ(static_cast<double>(right) / 200, evaluation.discrete.accuracy);
  const std::vector<std::uint32_t> sums = circuit.class_sums(test_.pixels);
  ASSERT_EQ(sums.size(), 200 * circuit.groups());
  for (std::size_t s = 0; s < 200; ++s) EXPECT_EQ(classes[s], sums[2 * s + 1] > sums[2 * s]);

  circuit.save(path("a.firn"));
  const firn::Circuit back = firn::Circuit::load(path("a.firn"));
  EXPECT_EQ(back.class_names(), (std::vector<std::string>{"left", "right"}));
  EXPECT_TRUE(circuit.verify(back).is_proved);
  for (const auto& [file, format] : {std::pair("a.v", firn::Format::kVerilog), std::pair("a.aig", firn::Format::kAiger),
                                     std::pair("a.blif", firn::Format::kBlif), std::pair("a.c", firn::Format::kC)}) {
    circuit.export_to(path(file), format);
    const firn::Circuit imported = firn::Circuit::import(path(file), circuit);
    EXPECT_TRUE(imported.verify(circuit).is_proved) << file;
    EXPECT_EQ(imported.predict(test_.pixels), classes) << file;
  }
}

TEST_F(FrontDoor, FeaturesKeepTheirNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 48; ++i) names.push_back("pixel " + std::to_string(i));
  EXPECT_TRUE(data_.feature_names().empty());
  EXPECT_THROW(data_.with_feature_names({"too", "few"}), firn::Error);
  const firn::Dataset named = data_.with_feature_names(names);
  config_.set("train.steps", "2");
  const firn::Network network = firn::train(config_, named);
  network.save(path("named"));
  EXPECT_EQ(firn::Network::load(path("named")).feature_names(), names);
  network.compile().save(path("named.firn"));
  EXPECT_EQ(firn::Circuit::load(path("named.firn")).feature_names(), names);
}

TEST_F(FrontDoor, PredictsFilesByTheNamesOfTheirColumns) {
  std::string table = "size,colour,kind\n", unlabelled = "colour;size\n";
  for (int i = 0; i < 60; ++i) {
    const std::string colour = i % 3 == 0 ? "red" : "blue", size = std::to_string(i * 7 % 60);
    table += size + "," + colour + "," + (i % 3 == 0 ? "ripe" : "green") + "\n";
    unlabelled += colour + ";" + size + "\n";
  }
  firn::write_file(path("train.csv"), table);
  firn::write_file(path("new.csv"), unlabelled);
  firn::Config config = firn::Config::from_toml(
      "[data]\nsource = 'csv'\nfile = 'train.csv'\n[encode]\nscope = 'feature'\n[model]\nfamily = 'dense'\n"
      "width = 60\nlayers = 2\n[train]\nsteps = 60\neval_every = 60\nbatch = 16\n");
  const firn::Dataset data = firn::Dataset::load(config, folder_.path().string());
  const firn::Circuit circuit = firn::train(config, data).compile();
  EXPECT_EQ(circuit.feature_names(), (std::vector<std::string>{"size", "colour=blue", "colour=red"}));
  const firn::FileSamples samples = circuit.read_samples(path("train.csv"));
  EXPECT_EQ(samples.count, 60u);
  EXPECT_EQ(samples.labels[0], 1);
  const firn::FilePredictions found = circuit.predict_file(path("new.csv"));
  EXPECT_TRUE(found.labels.empty());
  EXPECT_EQ(found.classes, circuit.predict(samples.floats));
  EXPECT_EQ(found.class_sums, circuit.class_sums(samples.floats));
  ASSERT_EQ(found.probabilities.size(), 120u);
  for (std::size_t s = 0; s < 60; ++s) {
    EXPECT_NEAR(found.probabilities[2 * s] + found.probabilities[2 * s + 1], 1, 1e-9);
    EXPECT_EQ(found.classes[s], found.probabilities[2 * s + 1] > found.probabilities[2 * s]);
  }
  EXPECT_THROW(circuit.predict_file(path("missing.csv")), firn::Error);
  firn::write_file(path("bare.csv"), table.substr(table.find('\n') + 1));
  EXPECT_THROW(circuit.predict_file(path("bare.csv")), firn::Error);
  EXPECT_EQ(circuit.predict_file(path("bare.csv"), 0, /*has_header=*/false).classes, found.classes);
  EXPECT_EQ(circuit.read_samples(path("bare.csv"), /*has_header=*/false).floats, samples.floats);
}

TEST_F(FrontDoor, GivesTheSameNetworkForAnyNumberOfThreadsAndWithAFolder) {
  firn::train(config_, data_, {.threads = 1}).save(path("one"));
  firn::train(config_, data_, {.threads = 2}).save(path("two"));
  firn::train(config_, data_, {.folder = path("run")}).save(path("folder"));
  EXPECT_EQ(firn::read_file(path("one")), firn::read_file(path("two")));
  EXPECT_EQ(firn::read_file(path("one")), firn::read_file(path("folder")));
}

TEST_F(FrontDoor, ResumesWhatWasCancelled) {
  bool stop = false;
  firn::TrainOptions options{.folder = path("run")};
  options.on_eval = [&](const firn::TrainProgress&) { stop = true; };
  options.cancelled = [&] { return stop; };
  EXPECT_EQ(firn::train(config_, data_, options).step(), 40u);
  EXPECT_THROW(firn::train(config_, data_, options), firn::Error);
  firn::train(config_, data_, {.folder = path("run"), .resume = true}).save(path("resumed"));
  firn::train(config_, data_).save(path("whole"));
  EXPECT_EQ(firn::read_file(path("resumed")), firn::read_file(path("whole")));
}

TEST_F(FrontDoor, ScoresDiagnosesAndDiscretizes) {
  const firn::Network network = firn::train(config_, data_);
  const auto scores = network.scores(train_.pixels, train_.labels);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].layer, "conv1");
  EXPECT_EQ(scores[0].scores.size(), 24u * 16);
  const auto effects = network.diagnose(train_.pixels, train_.labels);
  ASSERT_EQ(effects.size(), 2u);  // the convolution, and all
  EXPECT_EQ(effects[0].neurons, 24u);
  for (const char* rule : {"argmax", "first-order", "nearest-table"}) {
    const firn::Network frozen = network.discretize(train_.pixels, train_.labels, {.rule = rule});
    EXPECT_EQ(frozen.frozen(), frozen.neurons()) << rule;
    EXPECT_GT(frozen.evaluate_test(data_).discrete.accuracy, 0.6) << rule;
  }
  EXPECT_EQ(network.frozen(), 0u);
  EXPECT_THROW(network.discretize(train_.pixels, train_.labels, {.rule = "best"}), firn::Error);
}

TEST_F(FrontDoor, Refines) {
  const firn::Network network = firn::train(config_, data_);
  std::uint64_t units = 0;
  const firn::Network refined =
      network.refine(train_.pixels, train_.labels,
                     {.copies = 2, .on_progress = [&](std::uint64_t done, std::uint64_t) { units = done; }});
  EXPECT_GT(units, 0u);
  EXPECT_EQ(refined.frozen(), refined.neurons());
  EXPECT_EQ(network.frozen(), 0u);
  const firn::Evaluation before = network.evaluate(train_.pixels, train_.labels);
  const firn::Evaluation after = refined.evaluate(train_.pixels, train_.labels);
  EXPECT_LE(after.discrete.loss, before.discrete.loss);
  EXPECT_EQ(after.discrete.accuracy, after.relaxed.accuracy);
  EXPECT_THROW(network.refine(train_.pixels, train_.labels, {.objective = "speed"}), firn::Error);
  EXPECT_THROW(network.refine(train_.pixels, train_.labels, {.held_out = 1}), firn::Error);
  EXPECT_THROW(network.refine(train_.pixels, train_.labels, {.memory = -1}), firn::Error);
}

TEST_F(FrontDoor, OtherToolsJudgeTheCircuit) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  const firn::Synthesis found = circuit.synthesize({.targets = {"abc"}, .circuits = {"alone", "both"}});
  ASSERT_EQ(found.circuits.size(), 2u);
  EXPECT_FALSE(found.circuits[0].encoder || found.circuits[0].head);
  EXPECT_EQ(found.circuits[0].gates, circuit.gates());
  ASSERT_EQ(found.circuits[1].figures.size(), 2u);
  EXPECT_EQ(found.circuits[1].figures[0].quantity, "abc_lut6");
  EXPECT_GT(found.circuits[1].figures[0].measured.value(), found.circuits[0].figures[0].measured.value());
  EXPECT_NE(found.json.find("berkeley-abc"), std::string::npos);
  EXPECT_THROW(circuit.synthesize({.targets = {"paper"}}), firn::Error);
  EXPECT_THROW(circuit.synthesize({.may_go_on = [] { return false; }}), firn::Error);
}

TEST_F(FrontDoor, AClockChoosesTheStagesOfVerilog) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  circuit.export_to(path("a.v"), firn::Format::kVerilog, {.with_head = true, .clock = "1ns"});
  EXPECT_TRUE(circuit.verify_file(path("a.v")).is_proved);
  EXPECT_THROW(circuit.export_to(path("a.v"), firn::Format::kVerilog, {.pipeline = 2, .clock = "1ns"}), firn::Error);
  EXPECT_THROW(circuit.export_to(path("a.aig"), firn::Format::kAiger, {.clock = "1ns"}), firn::Error);
}

TEST_F(FrontDoor, RowsOfBitsRunThroughTheCircuit) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  std::vector<std::uint64_t> rows(circuit.input_bits() * 3);
  std::mt19937_64 random(1);
  for (std::uint64_t& word : rows) word = random();
  const auto out = circuit.predict_bits(rows, 3);
  EXPECT_EQ(out.size(), circuit.output_bits() * 3);
  circuit.export_to(path("a.blif"), firn::Format::kBlif);
  EXPECT_EQ(firn::Circuit::import(path("a.blif"), circuit).predict_bits(rows, 3), out);
  // One word at a time gives the same words.
  std::vector<std::uint64_t> first;
  for (std::size_t r = 0; r < circuit.input_bits(); ++r) first.push_back(rows[3 * r]);
  const auto alone = circuit.predict_bits(first, 1);
  for (std::size_t r = 0; r < alone.size(); ++r) EXPECT_EQ(alone[r], out[3 * r]);
  EXPECT_THROW(circuit.predict_bits(rows, 2), firn::Error);
}

// More words than a block has, and a number that no block has.
TEST_F(FrontDoor, WideRowsOfBitsAreTheSameAsNarrowOnes) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  constexpr std::size_t kWords = 131;
  std::vector<std::uint64_t> rows(circuit.input_bits() * kWords), part(circuit.input_bits());
  std::mt19937_64 random(1);
  for (std::uint64_t& word : rows) word = random();
  const auto wide = circuit.predict_bits(rows, kWords);
  for (std::size_t w = 0; w < kWords; ++w) {
    for (std::size_t r = 0; r < part.size(); ++r) part[r] = rows[r * kWords + w];
    const auto narrow = circuit.predict_bits(part, 1);
    for (std::size_t r = 0; r < narrow.size(); ++r) ASSERT_EQ(narrow[r], wide[r * kWords + w]) << w;
  }
}

TEST_F(FrontDoor, SeveralThreadsMayPredictAtOnce) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  const std::vector<std::uint16_t> classes = circuit.predict(test_.pixels);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int call = 0; call < 20; ++call) wrong += circuit.predict(test_.pixels, (caller + call) % 3) != classes;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// Slots of a window of one place have nowhere to move to, and nothing of them is stored.
TEST_F(FrontDoor, RedrawsInWindowsOfOnePlaceSurviveSavingAndLoading) {
  const firn::Config config = firn::Config::from_toml(R"(
[encode]
encoding = "uniform"
thresholds = 3
[model]
init = "gaussian"
[[model.layer]]
kind = "slot-conv"
filters = 4
window = 1
padding = 0
[[model.layer]]
kind = "slot-dense"
outputs = 100
[train]
steps = 20
batch = 32
[resample]
enabled = true
patience = 5
tolerance = 0.1
)");
  const firn::Network network = firn::train(config, data_);
  network.save(path("a"));
  const firn::Network back = firn::Network::load(path("a"));
  EXPECT_EQ(back.evaluate_test(data_).relaxed.loss, network.evaluate_test(data_).relaxed.loss);
  EXPECT_EQ(back.predict(test_.pixels), network.predict(test_.pixels));
}

TEST_F(FrontDoor, WarnsOfAStrategyThatNeverActs) {
  config_.set("freeze.strategy", "\"task\"").set("freeze.start", "120");
  std::vector<std::string> warnings;
  const auto warn = [&](std::string_view warning) { warnings.emplace_back(warning); };
  firn::train(config_, data_, {.on_warning = warn});
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("freeze.start = 120 is not before the last step")));
  warnings.clear();
  config_.set("freeze.start", "60");
  firn::train(config_, data_, {.on_warning = warn});
  EXPECT_THAT(warnings, ::testing::IsEmpty());
}

TEST_F(FrontDoor, CallersMistakesThrow) {
  EXPECT_THROW(firn::Dataset::view(train_.pixels, train_.labels, {1, 7, 7}), firn::Error);
  EXPECT_THROW(firn::Dataset::view(train_.pixels, train_.labels, {std::size_t{1} << 32, std::size_t{1} << 32}),
               firn::Error);
  const std::vector<std::uint8_t> third = {2};
  EXPECT_THROW(data_.with_test(std::span(test_.pixels).first(48), third), firn::Error);
  EXPECT_THROW(firn::train(config_, data_, {.resume = true}), firn::Error);
  EXPECT_THROW(firn::train(config_, data_, {.folder = path("none"), .resume = true}), firn::Error);
  EXPECT_FALSE(std::filesystem::exists(path("none")));
  EXPECT_THROW(firn::Config::preset("treelogicnet-xl"), firn::Error);
  EXPECT_THROW(firn::Config().set("train.stepz", "3"), firn::Error);
  EXPECT_THROW(firn::Config().set("train.steps", "many"), firn::Error);
  EXPECT_THROW(firn::Config().set("model.tau", "1e-50"), firn::Error);
  EXPECT_THROW(data_.with_class_names(std::vector<std::string>(65536, "a")), firn::Error);
  EXPECT_THROW(firn::Network::load(path("missing")), firn::Error);
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  const std::vector<float> floats(48);
  EXPECT_THROW(circuit.predict(floats), firn::Error);
  EXPECT_THROW(circuit.predict(std::span(train_.pixels).first(47)), firn::Error);
  EXPECT_THROW(circuit.export_to(path("a.aig"), firn::Format::kAiger, {.pipeline = 2}), firn::Error);
}

// Rows of data sources are padded, those of callers are not: both are evaluated alike.
TEST_F(FrontDoor, DataOfASourceAreEvaluatedLikeArrays) {
  firn::Config config = firn::Config::from_toml("[data]\nsource = 'majority'\n[model]\nfamily = 'dense'\nwidth = 90");
  config.set("train.steps", "100").set("encode.encoding", "passthrough");
  const firn::Dataset data = firn::Dataset::load(config, "");
  const firn::Network network = firn::train(config, data, {.folder = path("run")});
  const std::string result(reinterpret_cast<const char*>(firn::read_file(path("run/result.json")).data()));
  const auto at = result.find("\"discrete_accuracy\": ", result.find("\"last\""));
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(network.evaluate_test(data).discrete.accuracy, std::stod(result.substr(at + 21)), 1e-9);
  EXPECT_EQ(network.config().get("data.source"), "\"majority\"");
}

TEST_F(FrontDoor, EveryPresetIsThere) {
  EXPECT_THAT(firn::Config::preset_names(), ::testing::Contains("treelogicnet-s"));
  for (const std::string& name : firn::Config::preset_names()) EXPECT_NO_THROW(firn::Config::preset(name)) << name;
  EXPECT_EQ(firn::Config::preset("treelogicnet-s").get("model.width"), "32");
}

TEST_F(FrontDoor, OpensToCAsWell) {
  const firn::Circuit circuit = firn::train(config_, data_).compile();
  circuit.save(path("a.firn"));
  firn_circuit* c = firn_load(path("a.firn").c_str());
  ASSERT_NE(c, nullptr) << firn_last_error();
  EXPECT_EQ(firn_channels(c) * firn_height(c) * firn_width(c), 48u);
  EXPECT_EQ(firn_classes(c), 2u);
  EXPECT_STREQ(firn_class_name(c, 1), "right");
  EXPECT_EQ(firn_class_name(c, 2), nullptr);
  EXPECT_EQ(firn_takes_floats(c), 0);
  std::vector<std::uint16_t> classes(200);
  EXPECT_EQ(firn_predict_bytes(c, test_.pixels.data(), 200, classes.data()), 0);
  EXPECT_EQ(classes, circuit.predict(test_.pixels));
  std::vector<std::uint32_t> sums(200 * firn_groups(c));
  EXPECT_EQ(firn_class_sums_bytes(c, test_.pixels.data(), 200, sums.data()), 0);
  EXPECT_EQ(sums, circuit.class_sums(test_.pixels));
  const std::vector<float> floats(48);
  EXPECT_EQ(firn_predict_floats(c, floats.data(), 1, classes.data()), -1);
  EXPECT_THAT(firn_last_error(), HasSubstr("bytes"));
  EXPECT_EQ(firn_predict_bytes(c, nullptr, 1, classes.data()), -1);
  // 2^60 samples of 48 bytes are a multiple of 2^64 bytes.
  EXPECT_EQ(firn_predict_bytes(c, test_.pixels.data(), std::size_t{1} << 60, classes.data()), -1);
  EXPECT_THAT(firn_last_error(), HasSubstr("more samples than memory can hold"));
  EXPECT_EQ(firn_class_sums_bytes(c, test_.pixels.data(), std::size_t{1} << 60, sums.data()), -1);
  firn_free(c);
  firn_free(nullptr);
  const auto bytes = firn::read_file(path("a.firn"));
  firn_circuit* memory = firn_load_memory(bytes.data(), bytes.size());
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(firn_predict_bytes(memory, test_.pixels.data(), 200, classes.data()), 0);
  EXPECT_EQ(classes, circuit.predict(test_.pixels));
  firn_free(memory);
  EXPECT_EQ(firn_load_memory(bytes.data(), bytes.size() / 2), nullptr);
  EXPECT_STRNE(firn_last_error(), "");
}

TEST_F(FrontDoor, NullPointersFromCAreErrors) {
  for (const auto getter : {firn_channels, firn_height, firn_width, firn_classes, firn_groups}) {
    EXPECT_EQ(firn_load_memory("", 0), nullptr);  // another error
    EXPECT_EQ(getter(nullptr), 0u);
    EXPECT_STREQ(firn_last_error(), "a null pointer was given");
  }
  EXPECT_EQ(firn_takes_floats(nullptr), -1);
  EXPECT_EQ(firn_class_name(nullptr, 0), nullptr);
  EXPECT_EQ(firn_predict_bytes(nullptr, nullptr, 0, nullptr), -1);
  EXPECT_STREQ(firn_last_error(), "a null pointer was given");
}

}  // namespace
