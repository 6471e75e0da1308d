#include "firn/circuit/hierarchy.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

using Signal = Hierarchy::Signal;

Netlist finished(NetBuilder builder, std::vector<Wire> outputs) {
  Netlist netlist = std::move(builder).take(std::move(outputs));
  simplify(netlist);
  return netlist;
}

// The circuit that passes its inputs on.
Netlist pass_through(std::size_t inputs) {
  NetBuilder builder(inputs);
  std::vector<Wire> wires = builder.inputs();
  return std::move(builder).take(std::move(wires));
}

// Thresholds of one feature and what a missing value counts as.
Comparators of_feature(const Comparators& all, std::size_t feature) {
  Comparators one{all.format, 1, {}};
  for (std::size_t i = feature; i < all.limits.size(); i += all.features) one.limits.push_back(all.limits[i]);
  if (!all.fills.empty()) one.fills = {all.fills[feature]};
  return one;
}

// A filter with its pool: the taps of one placement after those of the other.
Netlist unit_circuit(const BooleanLayer& layer, std::size_t unit) {
  const LayerDescription& wiring = layer.wiring;
  NetBuilder builder(wiring.pool.size() * wiring.taps);
  std::vector<Wire> placed;
  for (std::size_t p = 0; p < wiring.pool.size(); ++p) {
    std::vector<Wire> nodes;
    for (std::size_t t = 0; t < wiring.taps; ++t) nodes.push_back(builder.input(p * wiring.taps + t));
    for (std::size_t g = 0; g < wiring.gates; ++g)
      nodes.push_back(builder.make(layer.gates[unit * wiring.gates + g], nodes[wiring.operands[2 * g]],
                                   nodes[wiring.operands[2 * g + 1]]));
    placed.push_back(nodes.back());
  }
  const Wire joined = any_of(builder, placed);
  return finished(std::move(builder), {joined});
}

class HierarchyBuilder {
 public:
  explicit HierarchyBuilder(std::size_t inputs) {
    result_.inputs = inputs;
    for (std::size_t i = 0; i < inputs; ++i) signals_.push_back({Signal::kInput, i});
  }

  void add_encoder(const Comparators& comparators) {
    const std::size_t features = comparators.features, bits = comparators.format.bits();
    std::vector<Signal> encoded(comparators.limits.size());
    std::map<std::pair<std::vector<std::int64_t>, std::vector<float>>, std::size_t> known;
    for (std::size_t f = 0; f < features; ++f) {
      const Comparators own = of_feature(comparators, f);
      const auto [found, fresh] = known.try_emplace({own.limits, own.fills}, result_.modules.size());
      if (fresh)
        add_module(fmt::format("encode{}", known.size() - 1), with_encoder(pass_through(own.limits.size()), own));
      const std::size_t instance =
          add_instance(found->second, {signals_.begin() + static_cast<std::ptrdiff_t>(bits * f),
                                       signals_.begin() + static_cast<std::ptrdiff_t>(bits * (f + 1))});
      for (std::size_t t = 0; t < own.limits.size(); ++t) encoded[t * features + f] = {instance, t};
    }
    signals_ = std::move(encoded);
  }

  void add_layer(const BooleanLayer& layer) {
    layer.wiring.placements() == 1 ? add_whole_layer(layer) : add_placed_units(layer);
  }

  void add_head(const Head& head, HeadForm form) {
    if (form == HeadForm::kNone) return;
    const std::size_t groups = head.groups, size = signals_.size() / groups;
    NetBuilder counter(size);
    const Word count = count_ones(counter, counter.inputs());
    const std::size_t width = count.size();
    const std::size_t module = add_module("count", finished(std::move(counter), count));
    std::vector<Signal> counts;
    for (std::size_t g = 0; g < groups; ++g) {
      const auto first = signals_.begin() + static_cast<std::ptrdiff_t>(g * size);
      const std::size_t instance = add_instance(module, {first, first + static_cast<std::ptrdiff_t>(size)});
      for (std::size_t b = 0; b < width; ++b) counts.push_back({instance, b});
    }
    if (head.is_value)
      signals_ = std::move(counts);
    else
      add_all("decide", decision_circuit(head, form, size), std::move(counts));
  }

  Hierarchy finish() {
    result_.outputs = std::move(signals_);
    return std::move(result_);
  }

 private:
  std::size_t add_module(std::string name, Netlist netlist) {
    result_.modules.push_back({std::move(name), std::move(netlist)});
    return result_.modules.size() - 1;
  }

  std::size_t add_instance(std::size_t module, std::vector<Signal> inputs) {
    FIRN_CHECK(inputs.size() == result_.modules[module].netlist.inputs);
    result_.instances.push_back({module, std::move(inputs)});
    return result_.instances.size() - 1;
  }

  // A module with a single instance, whose outputs are all that goes on.
  void add_all(std::string name, Netlist netlist, std::vector<Signal> inputs) {
    const std::size_t outputs = netlist.outputs.size();
    const std::size_t instance = add_instance(add_module(std::move(name), std::move(netlist)), std::move(inputs));
    signals_.clear();
    for (std::size_t o = 0; o < outputs; ++o) signals_.push_back({instance, o});
  }

  void add_whole_layer(const BooleanLayer& layer) {
    Netlist netlist = lower({layer.wiring.input, {layer}, {}});
    simplify(netlist);
    add_all(layer.wiring.name, std::move(netlist), signals_);
  }

  void add_placed_units(const BooleanLayer& layer) {
    const LayerDescription& wiring = layer.wiring;
    std::vector<Signal> outputs;
    for (std::size_t u = 0; u < wiring.units(); ++u) {
      const std::size_t module = add_module(fmt::format("{}_{}", wiring.name, u), unit_circuit(layer, u));
      for (std::size_t o = 0; o < wiring.unit_outputs(); ++o) {
        std::vector<Signal> taps;
        for (std::size_t p = 0; p < wiring.pool.size(); ++p)
          for (std::size_t t = 0; t < wiring.taps; ++t) {
            const std::uint32_t feature = wiring.feature(u, t, o, p);
            taps.push_back(feature == kOutside ? Signal{} : signals_[feature]);
          }
        outputs.push_back({add_instance(module, std::move(taps)), 0});
      }
    }
    signals_ = std::move(outputs);
  }

  Hierarchy result_;
  std::vector<Signal> signals_;  // what comes out so far
};

}  // namespace

Hierarchy hierarchy_of(const BooleanNetwork& network, const std::optional<Comparators>& encoder, HeadForm head) {
  HierarchyBuilder builder(encoder ? encoder->inputs() : network.input.size());
  if (encoder) builder.add_encoder(*encoder);
  for (const BooleanLayer& layer : network.layers) builder.add_layer(layer);
  builder.add_head(network.head, head);
  return builder.finish();
}

Netlist flatten(const Hierarchy& hierarchy) {
  NetBuilder builder(hierarchy.inputs);
  std::vector<std::vector<Wire>> outputs;  // [instance]
  const auto wire_of = [&](const Signal& signal) {
    if (signal.from == Signal::kFalse) return kFalse;
    return signal.from == Signal::kInput ? builder.input(signal.bit) : outputs[signal.from][signal.bit];
  };
  for (const Hierarchy::Instance& instance : hierarchy.instances) {
    std::vector<Wire> inputs;
    for (const Signal& signal : instance.inputs) inputs.push_back(wire_of(signal));
    outputs.push_back(builder.embed(hierarchy.modules[instance.module].netlist, inputs));
  }
  std::vector<Wire> results;
  for (const Signal& signal : hierarchy.outputs) results.push_back(wire_of(signal));
  return std::move(builder).take(std::move(results));
}

}  // namespace firn::circuit
