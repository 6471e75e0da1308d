#include "firn/refine/flips.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "firn/base/error.h"

namespace firn::refine {

namespace {

constexpr std::size_t kBatch = 1024;  // moves that are priced together: work for all threads, and news for the observer

std::vector<GateFlips> list_gates(const BooleanNetwork& network) {
  std::vector<GateFlips> gates;
  for (std::uint32_t l = 0; l < network.layers.size(); ++l)
    for (std::uint32_t g = 0; g < network.layers[l].gates.size(); ++g)
      gates.push_back({{l, g}, network.layers[l].gates[g], {}});
  return gates;
}

// Adds up the effects on the examples of one turn after the other.
class FlipMeter {
 public:
  FlipMeter(const BooleanNetwork& network, const Loss& loss, const FlipParams& params, Threads& threads)
      : plan_(make_plan(network)),
        loss_(loss, plan_.head, plan_.group_rows()),
        params_(params),
        threads_(threads),
        gates_(list_gates(network)) {
    std::size_t gates = 0;
    for (const BooleanLayer& layer : network.layers) {
      first_gate_.push_back(gates);
      gates += layer.gates.size();
    }
  }

  NetworkFlips measure(const FittingData& data) {
    const std::size_t blocks = std::max<std::size_t>(1, params_.memory / FittingBlock::bytes(plan_));
    const std::size_t turn = std::min(data.indices.size(), blocks * kBlockSamples);
    total_ = (data.indices.size() + turn - 1) / turn * work_of_a_turn();
    for (std::size_t first = 0; first < data.indices.size(); first += turn)
      add_turn({data.examples, data.indices.subspan(first, std::min(turn, data.indices.size() - first)), data.encoder,
                data.augmenter});
    const auto examples = static_cast<double>(data.indices.size());
    return {{sum_.loss / examples, static_cast<double>(sum_.correct) / examples}, std::move(gates_)};
  }

 private:
  // In placements: what a move costs grows with them.
  static std::uint64_t work_of_a_unit(const PlanLayer& layer) { return layer.gates * layer.outputs * layer.pool; }
  std::uint64_t work_of_a_turn() const {
    std::uint64_t work = 0;
    for (const PlanLayer& layer : plan_.layers) work += layer.units * work_of_a_unit(layer);
    return work;
  }

  void add_turn(const FittingData& data) {
    FittingSet set(plan_, loss_, data, /*copies=*/1, /*seed=*/1);
    set.draw(/*sweep=*/1, threads_);
    Search search(plan_, loss_, set, threads_);
    sum_ += search.loss();
    std::vector<Move> moves;
    for (std::uint32_t l = 0; l < plan_.layers.size(); ++l) {
      const PlanLayer& layer = plan_.layers[l];
      for (std::uint32_t unit = 0; unit < layer.units; ++unit) {
        append_row_flips(layer, l, unit, moves);
        done_ += work_of_a_unit(layer);
        if (moves.size() < kBatch && unit + 1 < layer.units) continue;
        add_batch(moves, search);
        moves.clear();
        if (params_.on_progress) params_.on_progress(done_, total_);
      }
    }
  }

  void add_batch(const std::vector<Move>& moves, Search& search) {
    const std::vector<Effect> effects = search.price(moves);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const PlanLayer& layer = plan_.layers[moves[i].layer];
      const GatePlace place = layer.places[moves[i].unit * layer.gates + moves[i].gate];
      const auto row = static_cast<std::size_t>(std::countl_zero(moves[i].flip)) - 4;
      gates_[first_gate_[place.layer] + place.gate].effects[row] += effects[i];
    }
  }

  Plan plan_;
  CountLoss loss_;
  const FlipParams& params_;
  Threads& threads_;
  std::vector<GateFlips> gates_;
  std::vector<std::size_t> first_gate_;  // per layer, in gates_
  LossSum sum_;
  std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

NetworkFlips measure_flips(const BooleanNetwork& network, const Loss& loss, const FittingData& data,
                           const FlipParams& params, Threads& threads) {
  if (data.indices.empty()) throw Error("Flips have no effect without examples; choose at least one");
  if (!data.encoder.is_binary())
    throw Error("Flips of a discrete network need a binary encoding; this network reads real values");
  return FlipMeter(network, loss, params, threads).measure(data);
}

}  // namespace firn::refine
