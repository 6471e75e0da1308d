#include "firn/theory/small_models.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/network/kinds/dense.h"
#include "firn/network/kinds/tree_conv.h"
#include "firn/theory/count_table.h"

namespace firn::theory {
namespace {

constexpr std::size_t kMaxGates = 65536;  // minutes of Monte Carlo, and far beyond what can be enumerated

// A network under construction: wires and logits come from one stream, layer by layer.
struct Draft {
  NetworkDescription network;
  std::vector<std::vector<float>> logits;  // one per layer, [neurons][16]
  RandomSequence random;

  void draw_logits(std::size_t neurons) {
    std::vector<float>& drawn = logits.emplace_back();
    for (std::size_t i = 0; i < neurons * kSlots; ++i) drawn.push_back(random.normal());
  }
};

std::vector<std::uint32_t> draw_pairs(std::size_t inputs, std::size_t neurons, RandomSequence& random) {
  std::vector<std::uint32_t> wires;
  const auto count = static_cast<std::uint32_t>(inputs);
  for (std::size_t n = 0; n < neurons; ++n) {
    const std::uint32_t a = random.below(count), b = count > 1 ? random.below(count - 1) : 0;
    wires.insert(wires.end(), {a, b + (count > 1 && b >= a)});
  }
  return wires;
}

void add_dense(const SmallModelSettings& s, Draft& draft) {
  if (s.widths.empty()) throw Error("a dense network needs at least one layer; give its widths");
  std::size_t inputs = draft.network.input.size(), left = kMaxGates;
  for (std::size_t width : s.widths) {
    if (width < 1) throw Error("a layer needs at least one gate; give widths of 1 and more");
    if (width > left)
      throw Error(
          fmt::format("a small network has at most {} gates; choose widths that do not add up to more", kMaxGates));
    left -= width;
    const std::string name = fmt::format("dense{}", draft.network.layers.size() + 1);
    draft.network.layers.push_back(describe_dense(name, inputs, draw_pairs(inputs, width, draft.random)));
    draft.draw_logits(width);
    inputs = width;
  }
}

void add_trees(const SmallModelSettings& s, std::size_t side, Draft& draft) {
  if (s.trees < 1) throw Error("a tree network needs at least one tree");
  TreeConvSettings conv;
  conv.filters = s.trees;
  conv.depth = s.depth;
  conv.window = side;
  conv.padding = 0;
  conv.channels = "all";
  draft.draw_logits(s.trees * conv.gates());
  LayerPlace place;
  place.name = "trees";
  place.input = draft.network.input;
  draft.network.layers.push_back(conv.draw(place, draft.random));
}

Shape square(std::size_t inputs) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(inputs))));
  if (side * side != inputs || side < 2)
    throw Error(fmt::format("{} inputs are not a square image for a shared kernel; choose 4 or 9", inputs));
  return {1, side, side};
}

void set_logits(const Draft& draft, double spread, Model& model) {
  for (std::size_t g = 0; g < draft.logits.size(); ++g)
    for (std::size_t i = 0; i < model.neurons()[g]->count(); ++i)
      for (std::size_t k = 0; k < kSlots; ++k)
        model.neurons()[g]->logits[i][k] = draft.logits[g][i * kSlots + k] * static_cast<float>(spread);
}

}  // namespace

Head make_small_head(std::size_t outputs, std::string_view loss, double scale) {
  const bool two_sums = loss == "cross-entropy";
  const auto tau = static_cast<float>(two_sums ? outputs / 2 : outputs);
  const double middle = loss == "squared" ? 0.5 : 0;
  const double offset = two_sums ? 0 : middle - scale / 2;
  return {.groups = two_sums ? std::size_t{2} : std::size_t{1},
          .factor = static_cast<float>(scale) / tau,
          .offset = static_cast<float>(offset)};
}

SmallNetwork make_small_network(const SmallModelSettings& s, std::size_t inputs) {
  Draft draft{{}, {}, RandomSequence(s.seed, "theory/" + s.kind)};
  draft.network.input = s.kind == "shared" ? square(inputs) : Shape{inputs};
  if (s.kind == "dense")
    add_dense(s, draft);
  else if (s.kind == "tree")
    add_trees(s, 1, draft);
  else if (s.kind == "shared")
    add_trees(s, 2, draft);
  else
    throw Error(fmt::format("there is no small network \"{}\"; choose dense, tree or shared", s.kind));
  const std::size_t outputs = draft.network.layers.back().output.size();
  draft.network.head = make_small_head(outputs, s.loss, s.scale);
  if (outputs % draft.network.head.groups != 0)
    throw Error(fmt::format("{} outputs cannot be cut into {} equal groups; change the width of the last layer",
                            outputs, draft.network.head.groups));
  if (!CountTable::fits(outputs, draft.network.head.groups))
    throw Error(fmt::format("{} outputs in {} groups have too many counts to tabulate; choose a narrower last layer",
                            outputs, draft.network.head.groups));
  auto model = std::make_unique<Model>(draft.network, Initialization{}, s.seed);
  set_logits(draft, s.spread, *model);
  return SmallNetwork(std::move(model));
}

}  // namespace firn::theory
