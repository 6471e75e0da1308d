#include "firn/refine/refiner.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/memory.h"
#include "firn/base/random.h"
#include "firn/logic/gate.h"

namespace firn::refine {

namespace {

// Enough moves that threads have work between two meetings, few enough that what one accepts is news to the next batch.
constexpr std::size_t kSharedBatch = 28, kSingleBatch = 1024;

// A single copy memorises unless moves must be significant; redrawn copies do part of that work.
constexpr double kSharedGain = 0.5, kSingleGain = 1.5, kGainWithoutCopies = 2.5;
constexpr double kRemovalCost = 0;

// Layers that only choose wires have no gates to change.
std::vector<bool> resolve_layers(const BooleanNetwork& network, const std::vector<std::string>& names) {
  std::vector<bool> in_scope(network.layers.size(), names.empty());
  for (const std::string& name : names) {
    bool found = false;
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
      const LayerDescription& layer = network.layers[l].wiring;
      const bool is_meant = name == "all" || (name == "conv" && layer.is_convolution) || name == layer.name;
      if (is_meant) in_scope[l] = found = true;
    }
    if (!found) throw Error(fmt::format("The network has no layer \"{}\" to refine", name));
  }
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    if (network.layers[l].wiring.slots_are_wires) in_scope[l] = false;
  return in_scope;
}

void check(const RefineSettings& settings) {
  if (settings.objective != "loss" && settings.objective != "gates")
    throw Error(fmt::format("\"{}\" is not an objective of refinement; choose loss or gates", settings.objective));
  if (settings.sweeps == 0 || settings.copies == 0) throw Error("Refinement needs at least one sweep and one copy");
}

std::size_t copies_that_fit(const Plan& plan, const RefineContext& context, const RefineSettings& settings) {
  if (context.augment == "none" || context.data.train.has_reals()) return 1;  // only byte images are augmented
  const std::uint64_t one = FittingSet::bytes(plan, context.fitting.size(), 1);
  return std::clamp<std::size_t>(settings.memory / one, 1, settings.copies);
}

// Not the numbers that training augments by, whatever the seed.
std::uint64_t seed_of_copies(std::uint64_t seed) {
  return stream_id(fmt::format("refine/copies/{}", seed));
}

}  // namespace

std::size_t count_working_gates(const BooleanNetwork& network) {
  std::size_t count = 0;
  for (const BooleanLayer& layer : network.layers)
    count += static_cast<std::size_t>(std::ranges::count_if(layer.gates, is_working));
  return count;
}

void check_refinable(const BooleanNetwork& network, const Encoder& encoder, std::size_t examples,
                     std::uint64_t memory) {
  if (network.head.is_value)
    throw Error(
        "Refinement judges gates by classes, but this network predicts values; choose another strategy or rule");
  if (!encoder.is_binary()) throw Error("Refinement needs a binary encoding; this network reads real values");
  const std::uint64_t one = FittingSet::bytes(make_plan(network), examples, 1);
  if (one > memory)
    throw Error(
        fmt::format("Refining this network on {} examples takes {:.1f} GB, but only {:.1f} GB are allowed; allow "
                    "more memory or refine on fewer examples",
                    examples, 1e-9 * static_cast<double>(one), 1e-9 * static_cast<double>(memory)));
}

Refiner::Refiner(const RefineContext& context, const RefineSettings& settings)
    : context_(context),
      settings_(settings),
      in_scope_(resolve_layers(context.network, settings.layers)),
      plan_(make_plan(context.network)),
      loss_(context.loss, plan_.head, plan_.group_rows()),
      augmenter_(context.augment, context.data, seed_of_copies(settings.seed)),
      copies_(1) {
  check(settings);
  if (context.fitting.empty() || context.held_out.empty())
    throw Error("Refinement needs examples to fit and others to be judged on");
  check_refinable(context.network, context.encoder, context.fitting.size(), settings.memory);
  copies_ = copies_that_fit(plan_, context, settings);
  require_memory(static_cast<double>(bytes()) / context.ranks.size(), "refining this network",
                 "number of copies or of examples, or limit the memory of the fitting set");
  for (const PlanLayer& layer : plan_.layers)
    for (const GatePlace& place : layer.places)
      if (in_scope_[place.layer]) (layer.is_placed_once() ? has_single_ : has_shared_) = true;
  const bool gains = settings.objective == "loss";
  const auto bar = [&](std::optional<double> given, double with_copies) {
    return Bar{gains, given.value_or(!gains ? kRemovalCost : copies_ == 1 ? kGainWithoutCopies : with_copies)};
  };
  shared_bar_ = bar(settings.shared_significance, kSharedGain);
  single_bar_ = bar(settings.single_significance, kSingleGain);
  before_ = outcome_of(context.network);
  state_.gates = state_.best_gates = gates_of_plan();
  state_.best_loss = before_.risk().loss;
  if (!has_shared_ && !has_single_) throw Error("The layers to be refined have no gates");
}

std::uint64_t Refiner::bytes() const {
  return FittingSet::bytes(plan_, context_.fitting.size(), copies_);
}

// Gates that are placed many times come first and once: after the others have adapted to them, they hardly gain.
bool Refiner::is_of_shared_gates(std::uint32_t sweep) const {
  return has_shared_ && (sweep == 1 || !has_single_);
}

Outcome Refiner::outcome_of(const BooleanNetwork& network) const {
  return evaluate_outcome(network, loss_, context_.data.train, context_.held_out, context_.encoder, context_.threads);
}

std::vector<std::uint8_t> Refiner::gates_of_plan() const {
  BooleanNetwork network = context_.network;
  store_gates(plan_, network);
  std::vector<std::uint8_t> gates;
  for (const BooleanLayer& layer : network.layers)
    for (Gate gate : layer.gates) gates.push_back(static_cast<std::uint8_t>(gate));
  return gates;
}

BooleanNetwork Refiner::network_with(const std::vector<std::uint8_t>& gates) const {
  BooleanNetwork network = context_.network;
  std::size_t i = 0;
  for (BooleanLayer& layer : network.layers)
    for (Gate& gate : layer.gates) gate = static_cast<Gate>(gates[i++]);
  return network;
}

BooleanNetwork Refiner::best() const {
  return network_with(state_.best_gates);
}

void Refiner::restore(const RefineState& state) {
  const auto is_gate = [](std::uint8_t number) { return number < kGates; };
  const auto is_known = [&](const AcceptedMove& move) {
    return move.layer < context_.network.layers.size() &&
           move.gate < context_.network.layers[move.layer].gates.size() && is_gate(move.before) && is_gate(move.after);
  };
  if (state.gates.size() != state_.gates.size() || state.best_gates.size() != state_.gates.size() ||
      !std::ranges::all_of(state.gates, is_gate) || !std::ranges::all_of(state.best_gates, is_gate) ||
      !std::ranges::all_of(state.moves, is_known))
    throw Error("The state of the refinement is damaged or belongs to another network");
  state_ = state;
  plan_ = make_plan(network_with(state.gates));
}

void Refiner::append_moves(std::uint32_t layer, std::uint32_t unit, std::vector<Move>& moves) const {
  const PlanLayer& units = plan_.layers[layer];
  std::vector<Move> all;
  settings_.objective == "loss" ? append_row_flips(units, layer, unit, all) : append_removals(units, layer, unit, all);
  for (const Move& move : all)
    if (in_scope_[units.places[unit * units.gates + move.gate].layer]) moves.push_back(move);
}

bool Refiner::sweep_layer(std::uint32_t layer, const RefineObserver& observer, std::uint64_t& done, std::uint64_t total,
                          Search& search, std::vector<AcceptedMove>& accepted, SweepReport& report) {
  const PlanLayer& units = plan_.layers[layer];
  const bool is_shared = report.of_shared_gates;
  std::vector<Move> moves;
  for (std::uint32_t unit = 0; unit < units.units; ++unit, ++done) {
    append_moves(layer, unit, moves);
    if (moves.size() < (is_shared ? kSharedBatch : kSingleBatch) && unit + 1 < units.units) continue;
    if (context_.ranks.any(observer.cancelled && observer.cancelled())) return false;
    for (const Move& move : moves) ++report.layers[units.places[move.unit * units.gates + move.gate].layer].tried;
    for (const PricedMove& made : search.improve(moves, is_shared ? shared_bar_ : single_bar_)) {
      const std::size_t i = made.move.unit * units.gates + made.move.gate;
      const GatePlace place = units.places[i];
      accepted.push_back(
          {report.sweep, place.layer, place.gate, made.before, made.after, made.effect.mean(), made.effect.error()});
      ++report.layers[place.layer].accepted;
    }
    moves.clear();
    if (observer.on_progress) observer.on_progress(done + 1, total);
  }
  return true;
}

void Refiner::add_time(std::uint32_t layer, double seconds, SweepReport& report) const {
  std::vector<bool> is_part(report.layers.size());
  for (const GatePlace& place : plan_.layers[layer].places) is_part[place.layer] = true;
  std::size_t tried = 0;
  for (std::size_t l = 0; l < is_part.size(); ++l) tried += is_part[l] ? report.layers[l].tried : 0;
  for (std::size_t l = 0; l < is_part.size(); ++l)
    if (is_part[l] && tried > 0)
      report.layers[l].seconds += seconds * static_cast<double>(report.layers[l].tried) / static_cast<double>(tried);
}

void Refiner::run(const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress) {
  SweepReport report;
  while (!is_finished()) sweep({.on_progress = on_progress}, report);
}

bool Refiner::sweep(const RefineObserver& observer, SweepReport& report) {
  const auto take_back = [this] { plan_ = make_plan(network_with(state_.gates)); };
  try {
    const bool is_whole = try_sweep(observer, report);
    if (!is_whole) take_back();
    return is_whole;
  } catch (...) {
    take_back();
    throw;
  }
}

bool Refiner::try_sweep(const RefineObserver& observer, SweepReport& report) {
  const Stopwatch whole;
  report = {};
  report.sweep = state_.sweeps_done + 1;
  report.of_shared_gates = is_of_shared_gates(report.sweep);
  for (const BooleanLayer& layer : context_.network.layers) report.layers.push_back({layer.wiring.name});
  const FittingData data{context_.data.train, context_.fitting, context_.encoder, augmenter_};
  FittingSet set(plan_, loss_, data, copies_, settings_.seed, context_.ranks);
  set.draw(report.sweep, context_.threads);
  Search search(plan_, loss_, set, context_.threads);
  const auto risk = [&] {
    const LossSum sum = search.loss();
    const auto samples = static_cast<double>(set.images() * set.copies());
    return Risk{sum.loss / samples, static_cast<double>(sum.correct) / samples};
  };
  report.fitting_before = risk();
  std::uint64_t done = 0, total = 0;
  for (const PlanLayer& layer : plan_.layers)
    if (layer.is_placed_once() != report.of_shared_gates) total += layer.units;
  if (observer.on_progress) observer.on_progress(0, total);
  std::vector<AcceptedMove> accepted;
  for (std::uint32_t l = 0; l < plan_.layers.size(); ++l) {
    if (plan_.layers[l].is_placed_once() == report.of_shared_gates) continue;
    const Stopwatch watch;
    if (!sweep_layer(l, observer, done, total, search, accepted, report)) return false;
    add_time(l, watch.seconds(), report);
  }
  report.fitting_after = risk();
  finish_sweep(std::move(accepted), report);
  report.seconds = whole.seconds();
  return true;
}

// Sweeps end when nothing was accepted, or when the held-out loss no longer falls.
void Refiner::finish_sweep(std::vector<AcceptedMove> moves, SweepReport& report) {
  std::erase_if(report.layers, [](const LayerSweep& layer) { return layer.tried == 0; });
  state_.gates = gates_of_plan();
  const BooleanNetwork network = network_with(state_.gates);
  const Outcome outcome = outcome_of(network);
  report.held_out = outcome.risk();
  report.working_gates = count_working_gates(network);
  const PairedChange change = paired_change(before_, outcome);
  const bool is_harmless = settings_.objective == "gates" && change.loss <= change.loss_error;
  report.is_best = report.held_out.loss < state_.best_loss || is_harmless;
  ++state_.sweeps_done;
  const bool has_moved = !moves.empty();
  state_.moves.insert(state_.moves.end(), moves.begin(), moves.end());
  if (report.is_best) {
    state_.best_loss = report.held_out.loss;
    state_.best_gates = state_.gates;
    state_.best_sweep = state_.sweeps_done;
  }
  const bool has_more = state_.sweeps_done < settings_.sweeps;
  // A sweep of shared gates that did not help may still be a good start for the others.
  state_.is_finished = !has_more || ((!report.of_shared_gates || !has_single_) && (!has_moved || !report.is_best));
}

}  // namespace firn::refine
