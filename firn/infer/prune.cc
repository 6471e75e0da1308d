#include "firn/infer/prune.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/circuit/unvisited.h"

namespace firn::infer {

namespace {

constexpr std::size_t kWords = 8;  // of a block; the encoder fills rows of a few words at a time

VisitedRows rows_visited(const Netlist& netlist, const Encoder& encoder, const Examples& samples) {
  VisitedRows rows(netlist);
  Matrix<std::uint64_t> bits(netlist.inputs, kWords);
  for (std::size_t first = 0; first < samples.count(); first += 64 * kWords) {
    const std::size_t count = std::min(64 * kWords, samples.count() - first);
    encoder.encode_bits(SampleBlock::of(samples, first, count), bits);
    rows.visit(bits, count);
  }
  return rows;
}

}  // namespace

PruneStats prune_unvisited(CircuitModel& model, const Examples& samples) {
  if (samples.count() == 0) throw Error("pruning by data needs at least one sample");
  Netlist netlist = model.netlist ? std::move(*model.netlist) : lower(model.network);
  simplify(netlist);
  PruneStats stats{.gates_before = netlist.gates.size()};
  // Fewer gates leave other gates side by side, some of which see fewer rows than those before them.
  for (std::size_t before = netlist.gates.size() + 1; netlist.gates.size() < before;) {
    before = netlist.gates.size();
    const VisitedRows rows = rows_visited(netlist, model.encoder, samples);
    if (before == stats.gates_before) stats.unvisited = rows.unvisited();
    circuit::prune_unvisited(netlist, rows.masks());
  }
  stats.gates_after = netlist.gates.size();
  model.netlist = std::move(netlist);
  return stats;
}

}  // namespace firn::infer
