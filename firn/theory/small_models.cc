#include "firn/theory/small_models.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/model/layers/dense.h"
#include "firn/model/layers/group_sum.h"
#include "firn/model/layers/tree_conv.h"

namespace firn {
namespace {

constexpr Initialization kGaussian{.gaussian = true, .residual = 0};

using Layers = std::vector<std::unique_ptr<Layer>>;

std::vector<WirePair> draw_pairs(std::size_t inputs, std::size_t neurons, RandomSequence& random) {
  std::vector<WirePair> pairs;
  const auto count = static_cast<std::uint32_t>(inputs);
  for (std::size_t n = 0; n < neurons; ++n) {
    const std::uint32_t a = random.below(count), b = count > 1 ? random.below(count - 1) : 0;
    pairs.push_back({a, b + (count > 1 && b >= a)});
  }
  return pairs;
}

void add_dense(const SmallModelSettings& s, std::size_t inputs, RandomSequence& random, Layers& layers) {
  if (s.widths.empty()) throw Error("a dense network needs at least one layer; give its widths");
  for (std::size_t width : s.widths) {
    if (width < 1) throw Error("a layer needs at least one gate; give widths of 1 and more");
    std::vector<DenseStackLayer::Level> level{
        {fmt::format("dense{}", layers.size() + 1), draw_pairs(inputs, width, random)}};
    layers.push_back(std::make_unique<DenseStackLayer>(Shape{inputs}, std::move(level), kGaussian, random));
    inputs = width;
  }
}

void add_trees(const SmallModelSettings& s, Shape input, std::size_t side, RandomSequence& random, Layers& layers) {
  if (s.trees < 1) throw Error("a tree network needs at least one tree");
  const TreeConvSettings conv{s.trees, s.depth, side, 0, 1, ChannelRule::kAll};
  layers.push_back(std::make_unique<TreeConvLayer>("trees", input, conv, kGaussian, random));
}

Shape square(std::size_t inputs) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(inputs))));
  if (side * side != inputs || side < 2)
    throw Error(fmt::format("{} inputs are not a square image for a shared kernel; choose 4 or 9", inputs));
  return {1, side, side};
}

void widen_logits(Model& model, double spread) {
  for (Neurons* group : model.neurons())
    for (std::size_t i = 0; i < group->count(); ++i)
      for (float& logit : group->logits[i]) logit *= static_cast<float>(spread);
}

}  // namespace

std::unique_ptr<Layer> make_small_head(std::size_t outputs, std::string_view loss, double scale) {
  const bool two_scores = loss == "cross-entropy";
  const auto tau = static_cast<float>(two_scores ? outputs / 2 : outputs);
  const double middle = loss == "squared" ? 0.5 : 0;
  const double offset = two_scores ? 0 : middle - scale / 2;
  return std::make_unique<GroupSumLayer>("head", Shape{outputs}, two_scores ? 2 : 1, tau, static_cast<float>(offset),
                                         static_cast<float>(scale));
}

SmallNetwork make_small_network(const SmallModelSettings& s, std::size_t inputs) {
  RandomSequence random(s.seed, "theory/" + s.kind);
  Layers layers;
  if (s.kind == "dense")
    add_dense(s, inputs, random, layers);
  else if (s.kind == "tree")
    add_trees(s, {inputs}, 1, random, layers);
  else if (s.kind == "shared")
    add_trees(s, square(inputs), 2, random, layers);
  else
    throw Error(fmt::format("there is no small network \"{}\"; choose dense, tree or shared", s.kind));
  layers.push_back(make_small_head(layers.back()->output().shape.size(), s.loss, s.scale));
  auto model = std::make_unique<Model>(std::move(layers));
  widen_logits(*model, s.spread);
  return SmallNetwork(std::move(model));
}

}  // namespace firn
