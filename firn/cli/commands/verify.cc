#include "firn/cli/commands/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/equivalence.h"
#include "firn/cli/progress.h"
#include "firn/study/circuit_source.h"

namespace firn {
namespace {

// Two netlists to compare, and what they are. They are as stored, or as a checkpoint's layers have them: what
// simplification did is proved as well.
struct Pair {
  Netlist first, second;
  std::string what;
};

class Verify final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("A", first_, "Checkpoint, compiled model, or circuit in .aig, .aag, .blif, .c or .v")
        .required()
        .type_name("");
    options.add("B", second_, "Another one").required().type_name("");
    options.add("--seed", settings_.seed, "Seed of the random patterns").type_name("N");
    options.add("--patterns", settings_.patterns, "Random patterns to try before anything is proved")
        .between(std::size_t{1}, std::size_t{1} << 30)
        .type_name("N");
    options.add("--effort", settings_.output_conflicts, "Conflicts the solver may spend on one output")
        .between(1, 2'000'000'000)
        .type_name("N");
    options.add_flag("--no-sharing", no_sharing_,
                     "Leave every output to the solver, whatever gates the circuits share");
    options.add("--witness", witness_, "Where to write the inputs of a difference, one 0 or 1 a line")
        .type_name("FILE");
  }

  int run() override {
    const CircuitSource a = load_circuit(first_), b = load_circuit(second_);
    if (a.model && b.model && !same_surroundings(*a.model, *b.model)) return kCheckFailed;
    const std::vector<Pair> readings = readings_of(a, b);
    for (std::size_t i = 0;; ++i) {
      const Pair& pair = readings[i];
      if (!same_sizes(pair)) return kCheckFailed;
      const Equivalence result = compare(pair);
      if (!result.difference || i + 1 == readings.size()) return tell(pair, result);
    }
  }

 private:
  static bool same_surroundings(const CircuitModel& a, const CircuitModel& b) {
    const EncoderParts &x = a.encoder.parts(), &y = b.encoder.parts();
    bool same = x.encoding == y.encoding && x.values == y.values && x.input_shape == y.input_shape &&
                x.thresholds.rows() == y.thresholds.rows() && x.thresholds.cols() == y.thresholds.cols();
    for (std::size_t t = 0; same && t < x.thresholds.rows(); ++t)
      same = std::ranges::equal(x.thresholds[t], y.thresholds[t]);
    if (!same) fmt::print("DIFFERENT: the encoders are not the same\n");
    const bool heads = a.network.head == b.network.head;
    if (!heads) fmt::print("DIFFERENT: the heads are not the same\n");
    return same && heads;
  }

  // What there is to compare: one pair as a rule, more where the size of a file does not tell what is inside.
  static std::vector<Pair> readings_of(const CircuitSource& a, const CircuitSource& b) {
    std::vector<Pair> pairs;
    if (a.model && b.model) {
      pairs.push_back({netlist_of(*a.model), netlist_of(*b.model), "circuits alone, encoders and heads equal"});
    } else if (a.model) {
      pairs = readings_of_file(*a.model, a.file, b);
    } else if (b.model) {
      pairs = readings_of_file(*b.model, b.file, a);
      for (Pair& pair : pairs) std::swap(pair.first, pair.second);
    } else {
      pairs.push_back({in_own_order(a), in_own_order(b), "two files"});
    }
    return pairs;
  }

  static Netlist in_own_order(const CircuitSource& file) {
    const Netlist& netlist = file.circuit->netlist;
    return in_bus_order(*file.circuit, netlist.inputs, netlist.outputs.size(), file.file);
  }

  // A file holds the circuit alone, or with encoder, head, or both; its size tells which.
  static std::vector<Pair> readings_of_file(const CircuitModel& model, const std::string& name,
                                            const CircuitSource& file) {
    const Netlist circuit = netlist_of(model), found = in_own_order(file);
    std::vector<Pair> pairs;
    for (const bool head : {false, true})
      for (const bool encoder : {false, true}) {
        if (encoder && model.encoder.parts().values != "bytes") continue;
        if (found.inputs != (encoder ? byte_inputs(model.encoder) : circuit.inputs)) continue;
        if (found.outputs.size() != (head ? class_bits(model.network.head.groups) : circuit.outputs.size())) continue;
        Netlist reference = head ? with_head(circuit, model.network.head) : circuit;
        if (encoder) reference = with_encoder(reference, model.encoder);
        pairs.push_back({std::move(reference), found, contents(encoder, head)});
      }
    if (pairs.empty())
      throw Error(fmt::format("{} has {} inputs and {} outputs, which is not {} in any way it is exported", file.file,
                              found.inputs, found.outputs.size(), name));
    return pairs;
  }

  bool same_sizes(const Pair& pair) const {
    if (pair.first.inputs == pair.second.inputs && pair.first.outputs.size() == pair.second.outputs.size()) return true;
    fmt::print("DIFFERENT: {} has {} inputs and {} outputs, {} has {} and {}\n", first_, pair.first.inputs,
               pair.first.outputs.size(), second_, pair.second.inputs, pair.second.outputs.size());
    return false;
  }

  Equivalence compare(const Pair& pair) {
    settings_.sharing = !no_sharing_;
    // An inner pair is worth no more than the output it helps.
    settings_.merge_conflicts = std::min(settings_.merge_conflicts, settings_.output_conflicts);
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress("gate", pair.first.gates.size() + pair.second.gates.size(), seconds_since_start_of_clock);
    return check_equivalence(pair.first, pair.second, settings_, [&](std::size_t done, std::size_t) {
      progress.update(done);
      if (progress.elapsed() > 1) printer.show(progress);
    });
  }

  int tell(const Pair& pair, const Equivalence& result) const {
    fmt::print("compared    {}: {} inputs, {} outputs, {} and {} gates\n", pair.what, format_count(pair.first.inputs),
               format_count(pair.first.outputs.size()), format_count(pair.first.gates.size()),
               format_count(pair.second.gates.size()));
    fmt::print("simulated   {} random patterns (seed {})\n", format_count(result.patterns), settings_.seed);
    if (result.difference) return tell_difference(*result.difference);
    fmt::print("same gates  {} outputs\nproved      {} outputs by SAT\n", format_count(result.by_structure),
               format_count(result.by_proof));
    if (result.unknown > 0) {
      fmt::print("UNCHECKED   {} outputs were only simulated; give the solver more with --effort\n",
                 format_count(result.unknown));
      return kCheckFailed;
    }
    fmt::print("The circuits are the same function.\n");
    return kDone;
  }

  int tell_difference(const Equivalence::Difference& difference) const {
    fmt::print("DIFFERENT: output y[{}] is {} in {} and {} in {}\n", difference.output, int{difference.first}, first_,
               int{difference.second}, second_);
    std::string bits;
    for (bool bit : difference.inputs) bits += bit ? "1\n" : "0\n";
    if (!witness_.empty()) {
      write_file(witness_, bits);
      fmt::print("inputs written to {}\n", witness_);
      return kCheckFailed;
    }
    std::erase(bits, '\n');
    constexpr std::size_t kMostShown = 200;
    if (bits.size() <= kMostShown)
      fmt::print("inputs x[0] x[1] ... = {}\n", bits);
    else
      fmt::print("the inputs are {} bits; --witness FILE writes them\n", format_count(bits.size()));
    return kCheckFailed;
  }

  std::string first_, second_, witness_;
  bool no_sharing_ = false;
  EquivalenceSettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_verify() {
  return std::make_unique<Verify>();
}

}  // namespace firn
