#include "firn/infer/model_file.h"

#include <gmock/gmock.h>

#include <functional>

#include "firn/base/file.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_networks.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

CircuitModel random_model(std::uint64_t seed) {
  BooleanNetwork network = random_network(seed);
  network.head = {.groups = 3, .factor = 0.5f, .offset = 1};
  EncoderParts parts{"uniform", "bytes", network.input, Matrix<float>(1, 1)};
  parts.thresholds[0][0] = 127;
  Netlist netlist = lower(network);
  simplify(netlist);
  return {"name = \"x\"\n", {"a", "b", "c"}, Encoder::from_parts(parts), network, netlist};
}

TEST(ModelFile, ComesBackAsItWas) {
  TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CircuitModel model = random_model(seed);
    if (seed % 5 == 0) model.netlist.reset();
    write_model(folder / "m.firn", model);
    const CircuitModel back = read_model(folder / "m.firn");
    EXPECT_EQ(back.config, model.config);
    EXPECT_EQ(back.class_names, model.class_names);
    EXPECT_EQ(back.network.head, model.network.head);
    EXPECT_EQ(back.netlist, model.netlist);
    for (std::size_t l = 0; l < model.network.layers.size(); ++l)
      EXPECT_EQ(back.network.layers[l].wiring.name, model.network.layers[l].wiring.name);
    EXPECT_EQ(back.encoder.thresholds()[0][0], 127);
    const auto in = random_words(model.network.input.size(), 1, seed);
    EXPECT_TRUE(same_rows(evaluate_slowly(back.network, in), evaluate_slowly(model.network, in)));
  }
}

TEST(ModelFile, TheSchemaComesBackAndMustFitTheEncoder) {
  TemporaryFolder folder;
  CircuitModel model = random_model(1);
  write_model(folder / "m.firn", model);
  EXPECT_FALSE(read_model(folder / "m.firn").schema);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.encoder.input_shape().size(); ++i) names.push_back("f" + std::to_string(i));
  model.schema = schema_of_names(names, CellValues::kBytes);
  write_model(folder / "m.firn", model);
  EXPECT_EQ(read_model(folder / "m.firn").schema, model.schema);
  model.schema->columns.pop_back();
  model.schema->label_position = 0;
  write_model(folder / "m.firn", model);
  EXPECT_THAT(error_of([&] { read_model(folder / "m.firn"); }), HasSubstr("its encoder has"));
}

TEST(ModelFile, TheSchemaMustFitEncoderAndHead) {
  TemporaryFolder folder;
  CircuitModel model = random_model(1);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.encoder.input_shape().size(); ++i) names.push_back("f" + std::to_string(i));
  const auto fault = [&](const Schema& schema) {
    model.schema = schema;
    write_model(folder / "m.firn", model);
    return error_of([&] { read_model(folder / "m.firn"); });
  };
  EXPECT_THAT(fault(schema_of_names(names, CellValues::kReals)), HasSubstr("its encoder takes bytes"));
  Schema of_values = schema_of_names(names, CellValues::kBytes);
  of_values.label = "price";
  of_values.label_is_value = true;
  EXPECT_THAT(fault(of_values), HasSubstr("its head predicts classes"));
}

TEST(ModelFile, EqualModelsGiveEqualBytes) {
  TemporaryFolder folder;
  write_model(folder / "a.firn", random_model(3));
  write_model(folder / "b.firn", random_model(3));
  EXPECT_EQ(read_file(folder / "a.firn"), read_file(folder / "b.firn"));
}

// What the reader says about a model that is stored after `damage`.
std::string complaint(const std::function<void(CircuitModel&)>& damage) {
  TemporaryFolder folder;
  std::uint64_t seed = 1;
  while (random_model(seed).netlist->gates.size() < 3) ++seed;
  CircuitModel model = random_model(seed);
  damage(model);
  write_model(folder / "m.firn", model);
  return error_of([&] { read_model(folder / "m.firn"); });
}

TEST(ModelFile, CyclesAndWiresToNowhereAreRefused) {
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->gates[1].a = m.netlist->gate(1); }), HasSubstr("cyclic"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->gates[0].b = m.netlist->gate(1); }), HasSubstr("cyclic"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->outputs[0] = Wire(1'000'000, true); }), HasSubstr("output 0"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->gates[0].op = static_cast<Gate>(16); }),
              HasSubstr("operation 16"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->gates[0].layer = 99; }), HasSubstr("layer 99"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.netlist->outputs.pop_back(); }), HasSubstr("netlist.outputs"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.network.head.factor = 0; }), HasSubstr("head"));
  EXPECT_THAT(complaint([](CircuitModel& m) { m.class_names.pop_back(); }), HasSubstr("2 names for 3 classes"));
}

TEST(ModelFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  write_model(folder / "m.firn", random_model(3));
  const std::vector<std::byte> whole = read_file(folder / "m.firn");
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 500) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THAT(error_of([&] { parse_model(SafetensorsFile::parse(part, "part")); }), HasSubstr("part"));
  }
}

// A damaged network is refused before anything is computed with its sizes.
TEST(CheckNetwork, NamesWhatIsWrong) {
  const auto fault = [](const std::function<void(BooleanNetwork&)>& damage) {
    BooleanNetwork network;
    network.input = {1, 6, 6};
    RandomSequence random(1, "test");
    BooleanLayer conv = random_boolean_conv(network.input, 2, random);
    conv.wiring.name = "conv";
    network.layers = {conv, random_boolean_dense(conv.wiring.output.size(), 6, random)};
    network.layers[1].wiring.name = "fc";
    network.head.groups = 3;
    check_network(network, "net");
    damage(network);
    return error_of([&] { check_network(network, "net"); });
  };
  const auto conv = [](BooleanNetwork& n) -> LayerDescription& { return n.layers[0].wiring; };
  const auto dense = [](BooleanNetwork& n) -> LayerDescription& { return n.layers[1].wiring; };
  EXPECT_THAT(fault([&](auto& n) { conv(n).tap_channel[0] = 1; }), HasSubstr("channel that does not exist"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).tap_place[0] = 200; }), HasSubstr("outside its window"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).output.height += 1; }), HasSubstr("layer \"conv\" has an output"));
  EXPECT_THAT(fault([&](auto& n) {
                conv(n).input = {1, std::size_t{1} << 40, std::size_t{1} << 40};
              }),
              HasSubstr("impossible size"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).stride = 0; }), HasSubstr("impossible window"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).pool = {3, 2}; }), HasSubstr("impossible pool"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).gates = 40; }), HasSubstr("number of gates"));
  EXPECT_THAT(fault([&](auto& n) { conv(n).operands[0] = 200; }), HasSubstr("without its operands"));
  EXPECT_THAT(fault([&](auto& n) { dense(n).tap_channel[3] = 5000; }), HasSubstr("layer \"fc\" has a tap"));
  EXPECT_THAT(fault([&](auto& n) { n.layers[1].gates[0] = static_cast<Gate>(16); }), HasSubstr("unknown gate"));
  EXPECT_THAT(fault([&](auto& n) { dense(n).input.channels += 1; }), HasSubstr("as many features"));
  EXPECT_THAT(fault([&](auto& n) { n.head.groups = 4; }), HasSubstr("4 equal groups"));
  EXPECT_THAT(fault([&](auto& n) { n.layers.clear(); }), HasSubstr("0 layers"));
}

// Rows of the image below would lie elsewhere than the window looks for them, and beyond their end.
TEST(CheckNetwork, AWindowWithABorderReadsTheShapeBelow) {
  BooleanLayer conv;
  conv.gates = {Gate::kXor};
  conv.wiring.name = "conv";
  conv.wiring.input = conv.wiring.output = {1, 4, 4};
  conv.wiring.window = {3, 3};
  conv.wiring.padding = {1, 1};
  conv.wiring.tap_channel = {0, 0};
  conv.wiring.tap_place = {4, 8};
  const auto fault = [&](const Shape& input) {
    return error_or_none([&] { check_network({input, {conv}, {}}, "net"); });
  };
  EXPECT_EQ(fault({1, 4, 4}), kNoError);
  EXPECT_THAT(fault({16, 1, 1}), HasSubstr("layer \"conv\" pads an image of another shape"));
  conv.wiring.padding = {0, 0};
  conv.wiring.output = {1, 2, 2};
  EXPECT_EQ(fault({16, 1, 1}), kNoError);
}

TEST(CheckNetwork, BordersCountAsFeatures) {
  BooleanLayer conv;
  conv.gates = {Gate::kXor};
  conv.wiring.input = {kMaxFeatures / 2, 1, 1};
  conv.wiring.output = {1, 1, 1};
  conv.wiring.window = {3, 3};
  conv.wiring.padding = {1, 1};
  conv.wiring.tap_channel = {0, 0};
  conv.wiring.tap_place = {4, 8};
  EXPECT_THAT(error_of([&] { check_network({conv.wiring.input, {conv}, {}}, "net"); }), HasSubstr("impossible size"));
}

}  // namespace
}  // namespace firn
