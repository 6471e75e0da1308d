#include "firn/refine/plan.h"

#include <algorithm>
#include <limits>

#include "firn/base/error.h"

namespace firn::refine {

namespace {

// A layer while layers are being fused: taps are features of the layer before, or kOutside.
PlanLayer unroll(const BooleanLayer& layer, std::uint32_t number) {
  const LayerDescription& wiring = layer.wiring;
  PlanLayer plan;
  plan.units = wiring.units();
  plan.taps = wiring.taps;
  plan.gates = wiring.gates;
  plan.pool = wiring.pool.size();
  plan.outputs = wiring.unit_outputs();
  plan.operands = wiring.operands;
  plan.operands.resize(2 * plan.gates);
  for (Gate gate : layer.gates) plan.numbers.push_back(static_cast<std::uint8_t>(gate));
  for (std::uint32_t g = 0; g < layer.gates.size(); ++g) plan.places.push_back({number, g});
  plan.rows.reserve(plan.units * plan.outputs * plan.pool * plan.taps);
  for (std::size_t u = 0; u < plan.units; ++u)
    for (std::size_t o = 0; o < plan.outputs; ++o)
      for (std::size_t p = 0; p < plan.pool; ++p)
        for (std::size_t t = 0; t < plan.taps; ++t) plan.rows.push_back(wiring.feature(u, t, o, p));
  return plan;
}

// Can the outputs of `below` become inner nodes of the units of `above`?
bool can_fuse(const PlanLayer& below, const PlanLayer& above) {
  if (!below.is_placed_once() || !above.is_placed_once() || below.gates != 1 || below.taps != 2) return false;
  if (2 * above.taps > kMaxUnitTaps || above.taps + above.gates > kMaxUnitGates) return false;
  if (below.units != above.units * above.taps) return false;
  std::vector<bool> read(below.units);
  for (std::uint32_t feature : above.rows) {
    if (feature == kOutside || read[feature]) return false;
    read[feature] = true;
  }
  return true;
}

// Each tap of `above` becomes a gate of `below` and its two taps. Complete trees stay complete and in order.
PlanLayer fuse(const PlanLayer& below, const PlanLayer& above) {
  PlanLayer fused;
  fused.units = above.units;
  fused.taps = 2 * above.taps;
  fused.gates = above.taps + above.gates;
  for (std::size_t t = 0; t < above.taps; ++t)
    for (std::size_t side = 0; side < 2; ++side)
      fused.operands.push_back(static_cast<std::uint8_t>(2 * t + below.operands[side]));
  for (std::uint8_t node : above.operands) fused.operands.push_back(static_cast<std::uint8_t>(node + 2 * above.taps));
  for (std::size_t u = 0; u < above.units; ++u) {
    for (std::size_t t = 0; t < above.taps; ++t) {
      const std::uint32_t gate = above.rows[u * above.taps + t];
      fused.numbers.push_back(below.numbers[gate]);
      fused.places.push_back(below.places[gate]);
      fused.rows.insert(fused.rows.end(), {below.rows[2 * gate], below.rows[2 * gate + 1]});
    }
    for (std::size_t g = u * above.gates; g < (u + 1) * above.gates; ++g) {
      fused.numbers.push_back(above.numbers[g]);
      fused.places.push_back(above.places[g]);
    }
  }
  return fused;
}

int depth_of(const PlanLayer& layer) {
  for (int depth = 1; depth <= 3; ++depth)
    if (layer.taps == std::size_t{1} << depth && layer.operands == tree_operands(static_cast<std::size_t>(depth)))
      return depth;
  return 0;
}

// Which operand reads each gate; empty where one is read twice.
std::vector<std::uint8_t> readers_of(const PlanLayer& layer) {
  std::vector<std::uint8_t> readers(layer.gates, kUnread);
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    if (layer.operands[i] < layer.taps) continue;
    std::uint8_t& reader = readers[layer.operands[i] - layer.taps];
    if (reader != kUnread) return {};
    reader = static_cast<std::uint8_t>(i);
  }
  return readers;
}

// Lists the readers of each of `features` features, each output once.
void list_readers(PlanLayer& layer, std::size_t features) {
  const std::size_t width = layer.pool * layer.taps;
  const auto for_each_pair = [&](const auto& visit) {
    std::vector<std::uint32_t> seen(width);
    for (std::size_t o = 0; o < layer.output_count(); ++o) {
      std::copy_n(layer.rows.begin() + static_cast<std::ptrdiff_t>(o * width), width, seen.begin());
      std::ranges::sort(seen);
      for (std::size_t i = 0; i < width; ++i)
        if (seen[i] != kOutside && (i == 0 || seen[i] != seen[i - 1])) visit(seen[i], static_cast<std::uint32_t>(o));
    }
  };
  layer.first_reading.assign(features + 1, 0);
  for_each_pair([&](std::uint32_t feature, std::uint32_t) { ++layer.first_reading[feature + 1]; });
  for (std::size_t f = 0; f < features; ++f) layer.first_reading[f + 1] += layer.first_reading[f];
  std::vector<std::uint32_t> next(layer.first_reading.begin(), layer.first_reading.end() - 1);
  layer.reading.resize(layer.first_reading.back());
  for_each_pair([&](std::uint32_t feature, std::uint32_t output) { layer.reading[next[feature]++] = output; });
}

// Turns features of the layer before into rows of a block.
void place_rows(Plan& plan) {
  std::size_t features = plan.inputs;
  std::uint32_t first_input = plan.input_row(0);
  plan.rows = 1 + features;
  for (PlanLayer& layer : plan.layers) {
    list_readers(layer, features);
    for (std::uint32_t& row : layer.rows) row = row == kOutside ? 0 : first_input + row;
    layer.first_row = static_cast<std::uint32_t>(plan.rows);
    plan.rows += layer.output_count();
    first_input = layer.first_row;
    features = layer.output_count();
  }
}

}  // namespace

ConeLayer PlanLayer::cone() const {
  return {.taps = taps,
          .gates = gates,
          .pool = pool,
          .outputs = outputs,
          .depth = depth,
          .operands = operands.data(),
          .readers = readers.size() == gates ? readers.data() : nullptr,
          .numbers = numbers.data(),
          .rows = rows.data(),
          .first_row = first_row};
}

Plan make_plan(const BooleanNetwork& network) {
  Plan plan{.inputs = network.input.size(), .layers = {}, .head = network.head};
  std::size_t rows = 1 + plan.inputs;
  for (const BooleanLayer& layer : network.layers) rows += layer.wiring.output.size();
  if (rows > std::numeric_limits<std::uint32_t>::max()) throw Error("The network is too large to be refined");
  for (std::uint32_t l = 0; l < network.layers.size(); ++l) plan.layers.push_back(unroll(network.layers[l], l));
  while (plan.layers.size() > 1 && can_fuse(plan.layers[plan.layers.size() - 2], plan.layers.back())) {
    PlanLayer fused = fuse(plan.layers[plan.layers.size() - 2], plan.layers.back());
    plan.layers.pop_back();
    plan.layers.back() = std::move(fused);
  }
  for (PlanLayer& layer : plan.layers) {
    layer.depth = depth_of(layer);
    layer.readers = readers_of(layer);
  }
  place_rows(plan);
  return plan;
}

void store_gates(const Plan& plan, BooleanNetwork& network) {
  for (const PlanLayer& layer : plan.layers)
    for (std::size_t i = 0; i < layer.places.size(); ++i)
      network.layers[layer.places[i].layer].gates[layer.places[i].gate] = static_cast<Gate>(layer.numbers[i]);
}

}  // namespace firn::refine
