#include "firn/study/layer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/model/build.h"
#include "firn/study/config_text.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

std::string config_with(const std::string& layers) {
  return "[encode]\nencoding = 'uniform'\n" + layers;
}

constexpr const char* kDense = "[[model.layer]]\nkind = 'dense'\noutputs = 400\n";

// What building a network for samples of this shape says about a list.
std::string complaint_about(const std::string& layers, const Shape& shape = {3, 20, 24}, std::size_t classes = 10) {
  return error_of([&] {
    const Config config = parse_config(config_with(layers), "list.toml");
    build_model(config.model, shape, classes, 1);
  });
}

// Equal seeds give equal networks, whether they come from a family or from its list.
TEST(LayerList, AFamilyWrittenOutIsTheSameNetwork) {
  for (const char* family : {"treelogicnet", "compact", "dense"}) {
    Config config =
        parse_config(std::string("[model]\nfamily = '") + family + "'\nwidth = 2\ninit = 'gaussian'\n", "a");
    if (config.model.family == "dense") config.model.width = 6000;
    config.data.source = "cifar10";
    const Config listed = parse_config(to_toml(with_listed_layers(config, "")), "b");
    EXPECT_EQ(listed.model.family, "list");
    const Shape input = {9, 32, 32};
    const auto one = build_model(config.model, input, 10, 7), other = build_model(listed.model, input, 10, 7);
    ASSERT_EQ(one->neurons().size(), other->neurons().size());
    for (std::size_t g = 0; g < one->neurons().size(); ++g) {
      EXPECT_EQ(one->neurons()[g]->name, other->neurons()[g]->name);
      EXPECT_EQ(one->wiring(g).tap_channel, other->wiring(g).tap_channel) << family;
      EXPECT_EQ(one->wiring(g).tap_place, other->wiring(g).tap_place) << family;
      const Neurons &a = *one->neurons()[g], &b = *other->neurons()[g];
      EXPECT_TRUE(std::equal(a.logits.data(), a.logits.data() + a.count() * kSlots, b.logits.data())) << family;
    }
    EXPECT_EQ(one->head(), other->head());
  }
}

TEST(LayerList, ComesBackFromItsText) {
  const std::string layers =
      "[[model.layer]]\nkind = 'tree-conv'\nname = 'first'\nfilters = 8\nstride = 2\npool = 1\n"
      "[[model.layer]]\nkind = 'or-pool'\n[[model.layer]]\nkind = 'slot-dense'\noutputs = 120\n";
  const Config config = parse_config(config_with(layers), "a");
  EXPECT_EQ(parse_config(to_toml(config), "b").model.layer, config.model.layer);
  const auto model = build_model(config.model, {3, 20, 24}, 10, 1);
  EXPECT_EQ(model->layer(0).name(), "first");
  EXPECT_EQ(model->layer(0).output().shape, (Shape{8, 10, 12}));
  EXPECT_EQ(model->layer(1).name(), "pool1");
  EXPECT_EQ(model->layer(1).output().shape, (Shape{8, 5, 6}));
}

TEST(LayerList, TenWrongListsGetTenClearSentences) {
  const std::string conv = "[[model.layer]]\nkind = 'tree-conv'\n", two = std::string(kDense) + kDense;
  EXPECT_THAT(complaint_about("[[model.layer]]\nkind = 'tree-konv'\n"),
              HasSubstr("there is no kind of layer \"tree-konv\"; did you mean tree-conv?"));
  EXPECT_THAT(complaint_about("[[model.layer]]\nfilters = 3\n"), HasSubstr("layer 1 needs a kind"));
  EXPECT_THAT(complaint_about(conv + "filter = 3\n"),
              HasSubstr("tree-conv has no key \"filter\"; did you mean filters?"));
  EXPECT_THAT(complaint_about(conv + "filters = 'many'\n"), HasSubstr("layer 1: filters must be an integer"));
  EXPECT_THAT(complaint_about(conv), HasSubstr("layer 1 (conv1): filters must be given"));
  EXPECT_THAT(complaint_about(conv + "filters = 4\nwindow = 15\npadding = 0\n", {1, 8, 8}),
              HasSubstr("layer 1 (conv1): a 15x15 window does not fit an input of 8x8"));
  EXPECT_THAT(complaint_about(conv + "filters = 4\npool = 2\n", {1, 9, 9}),
              HasSubstr("layer 1 (conv1): 9x9 outputs cannot be pooled 2x2"));
  EXPECT_THAT(complaint_about(two + "[[model.layer]]\nkind = 'dense'\noutputs = 100\n", {1, 1, 700}),
              HasSubstr("layer 3 (fc3): a dense layer of 100 gates cannot use all of its 400 inputs"));
  EXPECT_THAT(complaint_about(kDense, {1, 1, 700}, 7), HasSubstr("400 outputs cannot be cut into 7 equal groups"));
  EXPECT_THAT(complaint_about(two + "[[model.layer]]\nkind = 'dense'\nname = 'fc1'\noutputs = 400\n", {1, 1, 700}),
              HasSubstr("layer 3 (fc1): another layer has the same name"));
}

// Before anything of that size is drawn.
TEST(LayerList, ImpossibleSizesAreRefused) {
  for (const char* kind : {"tree-conv", "slot-conv"})
    EXPECT_THAT(complaint_about("[[model.layer]]\nkind = '" + std::string(kind) + "'\nfilters = 60000000\n"),
                HasSubstr("layer 1 (conv1): 60000000 filters at 20x24 places are too many"));
  for (const char* kind : {"dense", "slot-dense"})
    EXPECT_THAT(complaint_about("[[model.layer]]\nkind = '" + std::string(kind) + "'\noutputs = 67108865\n"),
                HasSubstr("layer 1: outputs must be an integer from 1 to 67108864"));
  EXPECT_THAT(complaint_about("[model]\nwidth = 67108865\n"), HasSubstr("67108864"));
  EXPECT_THAT(
      complaint_about("[model]\nfamily = \"treelogicnet\"\nwidth = 67108864\nhead_multiplier = 1024\n", {3, 32, 32}),
      HasSubstr("too many"));
}

TEST(LayerList, NamesOfSetsOfLayersAreRefused) {
  for (const std::string name : {"conv", "all", "auto"})
    EXPECT_THAT(complaint_about("[[model.layer]]\nkind = 'dense'\nname = '" + name + "'\noutputs = 400\n", {1, 1, 700}),
                HasSubstr("\"" + name + "\" names a set of layers"));
}

TEST(LayerList, ContradictionsAreRefused) {
  EXPECT_THAT(complaint_about(std::string("[model]\nfamily = 'dense'\n") + kDense), HasSubstr("remove one of the two"));
  EXPECT_THAT(complaint_about(std::string("[model]\nwidth = 7\n") + kDense), HasSubstr("model.width has no effect"));
  EXPECT_THAT(complaint_about("[model]\nfamily = 'list'\n"), HasSubstr("no layer is listed"));
  EXPECT_THAT(complaint_about("[model]\nlayer = 3\n"), HasSubstr("[[model.layer]]"));
  EXPECT_THAT(complaint_about("[[model.layer]]\nkind = 'dense'\nname = 'a b'\noutputs = 400\n", {1, 1, 700}),
              HasSubstr("letters, digits"));
}

}  // namespace
}  // namespace firn
