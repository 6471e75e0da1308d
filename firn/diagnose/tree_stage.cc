#include "firn/diagnose/tree_stage.h"

#include <algorithm>

namespace firn {

void TreeStage::backward(const Mixtures&, std::size_t output, const Lanes* in, const Lanes& up, Lanes* grad_in,
                         Weights16* sums) const {
  std::array<Nodes, kMaxPool> nodes;
  const Winners winners(roots(output, in, nodes), positions);
  for (std::size_t p = 0; p < positions; ++p) {
    Lanes share;
    bool wins = false;
    for (std::size_t l = 0; l < kLanes; ++l) {
      share.v[l] = winners.position[l] == p ? up.v[l] : 0;
      wins |= share.v[l] != 0;
    }
    if (wins) backward_at(output, p, nodes[p], share, grad_in, sums);
  }
}

void TreeStage::backward_at(std::size_t output, std::size_t position, const Nodes& nodes, const Lanes& up,
                            Lanes* grad_in, Weights16* sums) const {
  std::array<Lanes, 2 * kMaxLeaves> grad;  // of every node; each has one reader
  grad[2 * gates()] = up;
  for (std::size_t g = gates(); g-- > 0;) {
    const std::size_t n = gate_neuron[first_gate(output) + g];
    const Terms& c = terms[first_gate(output) + g];
    const Lanes &a = *nodes.value[2 * g], &b = *nodes.value[2 * g + 1], &d = grad[leaves() + g];
    Lanes &grad_a = grad[2 * g], &grad_b = grad[2 * g + 1];
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double da = d.v[l] * a.v[l];
      sums[n][0] += d.v[l];
      sums[n][1] += da;
      sums[n][2] += d.v[l] * b.v[l];
      sums[n][3] += da * b.v[l];
      grad_a.v[l] = d.v[l] * (c[1] + c[3] * b.v[l]);
      grad_b.v[l] = d.v[l] * (c[2] + c[3] * a.v[l]);
    }
  }
  const std::uint32_t* wire = &wires[output * operands() + position * leaves()];
  for (std::size_t leaf = 0; leaf < leaves(); ++leaf)
    if (wire[leaf] != kNoFeature)
      for (std::size_t l = 0; l < kLanes; ++l) grad_in[wire[leaf]].v[l] += grad[leaf].v[l];
}

}  // namespace firn
