#include "firn/refine/search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "firn/logic/gate.h"

namespace firn::refine {

namespace {

// Most moves are bad, and clearly so: they are dropped once their mean effect is above `drop_above` standard errors on
// the batches of images seen so far. The bounds are wide enough that few moves are lost that the whole set would
// accept.
struct Round {
  std::size_t batches;  // of 512 images, or
  double share;         // this share of all, whichever is less
  double drop_above;
};
constexpr std::array<Round, 4> kRounds = {{{2, 1. / 8, 2.5}, {8, 1. / 4, 1.5}, {24, 1. / 3, 1.0}, {~0u, 1. / 2, 0.5}}};

// Effects below this are rounding, not learning.
constexpr double kSmallestGain = 1e-12;

Effect effect_of(const double* sums, std::size_t images, std::size_t copies) {
  std::array<double, 4> sum{}, squares{};
  for (std::size_t s = 0; s < images; ++s) {
    sum[s % 4] += sums[s];
    squares[s % 4] += sums[s] * sums[s];
  }
  const double share = 1 / static_cast<double>(copies);
  return {(sum[0] + sum[1] + (sum[2] + sum[3])) * share,
          (squares[0] + squares[1] + (squares[2] + squares[3])) * share * share, images};
}

bool is_same_unit(const Move& a, const Move& b) {
  return a.layer == b.layer && a.unit == b.unit;
}

}  // namespace

double Effect::error() const {
  if (images < 2) return 0;
  const auto n = static_cast<double>(images);
  return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / (n - 1));
}

Effect& Effect::operator+=(const Effect& other) {
  sum += other.sum;
  squares += other.squares;
  images += other.images;
  return *this;
}

bool Bar::is_passed_by(const Effect& effect) const {
  if (must_gain) return effect.mean() < -kSmallestGain && effect.mean() < -errors * effect.error();
  return effect.mean() <= errors * effect.error();
}

bool is_working(Gate gate) {
  return depends_on_a(gate) && depends_on_b(gate);
}

void append_row_flips(const PlanLayer& layer, std::uint32_t number, std::uint32_t unit, std::vector<Move>& moves) {
  for (std::uint8_t gate = 0; gate < layer.gates; ++gate)
    for (std::uint8_t flip = 8; flip > 0; flip /= 2) moves.push_back({number, unit, gate, flip});
}

void append_removals(const PlanLayer& layer, std::uint32_t number, std::uint32_t unit, std::vector<Move>& moves) {
  constexpr std::array<Gate, 6> kSimple = {Gate::kFalse, Gate::kTrue, Gate::kA, Gate::kNotA, Gate::kB, Gate::kNotB};
  for (std::uint8_t gate = 0; gate < layer.gates; ++gate) {
    const std::uint8_t now = layer.numbers[unit * layer.gates + gate];
    if (!is_working(static_cast<Gate>(now))) continue;
    for (Gate simple : kSimple)
      moves.push_back({number, unit, gate, static_cast<std::uint8_t>(now ^ static_cast<std::uint8_t>(simple))});
  }
}

Search::Search(Plan& plan, const CountLoss& loss, FittingSet& set, Threads& threads)
    : plan_(plan),
      loss_(loss),
      set_(set),
      threads_(threads),
      simulators_(static_cast<std::size_t>(threads.count())),
      sums_(static_cast<std::size_t>(threads.count())) {}

BlockSimulator& Search::simulator(std::size_t worker) {
  if (!simulators_[worker]) simulators_[worker] = std::make_unique<BlockSimulator>(plan_, loss_);
  return *simulators_[worker];
}

// Adds what the batches [first_batch, last_batch) say. Batches are added in their order, so that the result does not
// depend on threads or ranks.
void Search::add_effects(std::span<const Move> moves, std::size_t first_batch, std::size_t last_batch,
                         std::span<Effect> effects) {
  std::vector<Effect> parts((last_batch - first_batch) * moves.size());
  const std::vector<std::size_t> own = set_.own_batches(first_batch, last_batch);
  threads_.for_each(own.size(), [&](std::size_t work, std::size_t worker) {
    const std::size_t batch = own[work], number = batch - first_batch;
    std::vector<UnitFlip> flips;
    Matrix<double>& sums = sums_[worker];
    for (std::size_t first = 0; first < moves.size(); first += flips.size()) {
      flips.clear();
      for (std::size_t i = first; i < moves.size() && is_same_unit(moves[i], moves[first]); ++i)
        flips.push_back({moves[i].gate, moves[i].flip});
      if (sums.rows() < flips.size()) sums = Matrix<double>(flips.size(), kBlockSamples);
      std::fill_n(sums.data(), flips.size() * kBlockSamples, 0.0);
      for (FittingBlock& block : set_.blocks(batch))
        simulator(worker).price(moves[first].layer, moves[first].unit, flips, block, sums.data());
      for (std::size_t i = 0; i < flips.size(); ++i)
        parts[number * moves.size() + first + i] = effect_of(sums.row(i), set_.batch_images(batch), set_.copies());
    }
  });
  set_.share(first_batch, moves.size(), std::span(parts));
  for (std::size_t part = 0; part < parts.size(); ++part) effects[part % moves.size()] += parts[part];
}

std::vector<Effect> Search::price(std::span<const Move> moves) {
  std::vector<Effect> effects(moves.size());
  add_effects(moves, 0, set_.batches(), effects);
  return effects;
}

std::vector<PricedMove> Search::race(std::span<const Move> moves, const Bar& bar) {
  std::vector<Move> running(moves.begin(), moves.end());
  std::vector<Effect> effects(moves.size());
  std::size_t seen = 0;
  const auto run_to = [&](std::size_t end) {
    if (end > seen && !running.empty()) add_effects(running, seen, end, effects);
    seen = std::max(seen, end);
  };
  const auto keep_if = [&](const auto& is_kept) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < running.size(); ++i)
      if (is_kept(effects[i])) {
        running[kept] = running[i];
        effects[kept++] = effects[i];
      }
    running.resize(kept);
    effects.resize(kept);
  };
  for (const Round& round : kRounds) {
    const double share = round.share * static_cast<double>(set_.batches());
    run_to(std::min(round.batches, static_cast<std::size_t>(share)));
    if (seen == 0) continue;
    keep_if([&](const Effect& e) {
      const double bound = bar.must_gain ? round.drop_above : round.drop_above + bar.errors;
      return (e.squares > 0 || !bar.must_gain) && e.mean() <= bound * e.error();
    });
  }
  run_to(set_.batches());
  keep_if([&](const Effect& e) { return bar.is_passed_by(e); });
  std::vector<PricedMove> priced;
  for (std::size_t i = 0; i < running.size(); ++i) priced.push_back({running[i], effects[i]});
  std::ranges::stable_sort(priced, {}, [](const PricedMove& m) { return m.effect.sum; });
  return priced;
}

std::uint8_t& Search::gate_of(const Move& move) {
  PlanLayer& layer = plan_.layers[move.layer];
  return layer.numbers[move.unit * layer.gates + move.gate];
}

void Search::apply(const Move& move) {
  gate_of(move) ^= move.flip;
  const std::vector<std::size_t> own = set_.own_batches(0, set_.batches());
  threads_.for_each(own.size(), [&](std::size_t work, std::size_t worker) {
    for (FittingBlock& block : set_.blocks(own[work])) simulator(worker).apply(move.layer, move.unit, block);
  });
}

std::vector<PricedMove> Search::improve(std::span<const Move> moves, const Bar& bar) {
  std::vector<PricedMove> accepted;
  for (PricedMove& candidate : race(moves, bar)) {
    const auto moves_same_gate = [&](const PricedMove& other) {
      return is_same_unit(other.move, candidate.move) && other.move.gate == candidate.move.gate;
    };
    if (!bar.must_gain && std::ranges::any_of(accepted, moves_same_gate)) continue;
    if (!accepted.empty()) candidate.effect = price({&candidate.move, 1}).front();
    if (!bar.is_passed_by(candidate.effect)) continue;
    candidate.before = gate_of(candidate.move);
    apply(candidate.move);
    candidate.after = gate_of(candidate.move);
    accepted.push_back(candidate);
  }
  return accepted;
}

LossSum Search::loss() {
  std::vector<LossSum> parts(set_.batches());
  const std::vector<std::size_t> own = set_.own_batches(0, set_.batches());
  threads_.for_each(own.size(), [&](std::size_t work, std::size_t worker) {
    for (const FittingBlock& block : set_.blocks(own[work])) parts[own[work]] += simulator(worker).loss(block);
  });
  set_.share(0, 1, std::span(parts));
  LossSum sum;
  for (const LossSum& part : parts) sum += part;
  return sum;
}

}  // namespace firn::refine
