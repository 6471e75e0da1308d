// Levels of look-up tables come from priority cuts: every gate remembers a few sets of earlier nodes that determine it,
// the shallowest first, and a table stands on one of them. That is optimal for the structure as it is, but for the cuts
// that were forgotten.
//
// Area and delay are linear models with one coefficient for AND and one for XOR, inverters and buffers included, fitted
// to what yosys, ABC and OpenSTA found for four circuits of MNIST and Fashion-MNIST: ANDs are merged into wider cells,
// while XORs stay what they are.
#include "firn/synth/estimate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "firn/base/error.h"

namespace firn::synth {

namespace {

constexpr std::size_t kMostInputs = 6;
constexpr std::size_t kCutsKept = 8;

constexpr double kNand2PerAnd = 0.85, kNand2PerXor = 3.10;
constexpr double kNsPerAnd = 0.10, kNsPerXor = 0.15, kNsAtAll = 0.6;

struct Cut {
  std::array<std::uint32_t, kMostInputs> leaves{};  // in ascending order
  std::uint8_t count = 0;
  std::uint32_t level = 0;  // of the deepest leaf

  friend bool operator==(const Cut&, const Cut&) = default;
};

// Shallow cuts first, then those that leave room for more.
bool is_better(const Cut& a, const Cut& b) {
  return a.level != b.level ? a.level < b.level : a.count < b.count;
}

class LevelLabels {
 public:
  LevelLabels(const Netlist& netlist, std::size_t inputs)
      : netlist_(netlist), inputs_(inputs), levels_(netlist.nodes(), 0), cuts_(netlist.gates.size()) {
    for (std::size_t g = 0; g < netlist.gates.size(); ++g) label(g);
  }

  std::uint32_t level(std::uint32_t node) const { return levels_[node]; }

 private:
  // The sets on which a table that reads the node can stand: the node itself, and its own cuts.
  std::vector<Cut> choices(std::uint32_t node) const {
    std::vector<Cut> all;
    if (netlist_.is_gate(node)) all = cuts_[node - netlist_.first_gate()];
    Cut itself{.count = 1, .level = levels_[node]};
    itself.leaves[0] = node;
    all.push_back(itself);
    return all;
  }

  // False where the union has too many leaves.
  bool merge(const Cut& a, const Cut& b, Cut& merged) const {
    std::array<std::uint32_t, 2 * kMostInputs> leaves{};
    const auto end = std::set_union(a.leaves.begin(), a.leaves.begin() + a.count, b.leaves.begin(),
                                    b.leaves.begin() + b.count, leaves.begin());
    const auto count = static_cast<std::size_t>(end - leaves.begin());
    if (count > inputs_) return false;
    merged = {.count = static_cast<std::uint8_t>(count), .level = std::max(a.level, b.level)};
    std::copy(leaves.begin(), end, merged.leaves.begin());
    return true;
  }

  void label(std::size_t g) {
    std::vector<Cut> found;
    const std::vector<Cut> of_a = choices(netlist_.gates[g].a.node()), of_b = choices(netlist_.gates[g].b.node());
    for (const Cut& a : of_a)
      for (const Cut& b : of_b)
        if (Cut merged; merge(a, b, merged) && std::ranges::find(found, merged) == found.end()) found.push_back(merged);
    FIRN_CHECK(!found.empty());  // the two operands themselves always fit
    std::ranges::stable_sort(found, is_better);
    found.resize(std::min(found.size(), kCutsKept));
    levels_[netlist_.first_gate() + g] = 1 + found.front().level;
    cuts_[g] = std::move(found);
  }

  const Netlist& netlist_;
  std::size_t inputs_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::vector<Cut>> cuts_;
};

}  // namespace

std::size_t lut_levels_estimate(const Netlist& netlist, std::size_t inputs) {
  FIRN_CHECK(inputs >= 2 && inputs <= kMostInputs);
  const LevelLabels labels(netlist, inputs);
  std::size_t deepest = 0;
  for (Wire output : netlist.outputs) deepest = std::max<std::size_t>(deepest, labels.level(output.node()));
  return deepest;
}

double nand2_estimate(const Netlist& netlist) {
  double sum = 0;
  for (const NetGate& gate : netlist.gates) sum += gate.op == Gate::kXor ? kNand2PerXor : kNand2PerAnd;
  return sum;
}

double delay_estimate(const Netlist& netlist) {
  std::vector<double> arrival(netlist.nodes(), 0);
  for (std::size_t g = 0; g < netlist.gates.size(); ++g) {
    const NetGate& gate = netlist.gates[g];
    arrival[netlist.first_gate() + g] =
        std::max(arrival[gate.a.node()], arrival[gate.b.node()]) + (gate.op == Gate::kXor ? kNsPerXor : kNsPerAnd);
  }
  double latest = 0;
  for (Wire output : netlist.outputs) latest = std::max(latest, arrival[output.node()]);
  return latest == 0 ? 0 : kNsAtAll + latest;
}

}  // namespace firn::synth
