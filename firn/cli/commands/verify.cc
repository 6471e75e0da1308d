#include "firn/cli/commands/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/equivalence.h"
#include "firn/cli/circuit_source.h"
#include "firn/cli/progress.h"

namespace firn {
namespace {

// Two netlists over the same inputs and outputs, and what they are.
struct Pair {
  Netlist first, second;
  std::string what;
};

class Verify final : public Command {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("A", first_, "Checkpoint, compiled model, or circuit in .aig, .aag, .blif, .c or .v")
        ->required()
        ->type_name("");
    app.add_option("B", second_, "Another one")->required()->type_name("");
    app.add_option("--seed", settings_.seed, "Seed of the random patterns")->type_name("N");
    app.add_option("--patterns", settings_.patterns, "Random patterns to try before anything is proved")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
        ->type_name("N");
    app.add_option("--effort", settings_.output_conflicts, "Conflicts the solver may spend on one output")
        ->check(CLI::Range(1, 2'000'000'000))
        ->type_name("N");
    app.add_option("--witness", witness_, "Where to write the inputs of a difference, one 0 or 1 a line")
        ->type_name("FILE");
  }

  int run() override {
    const CircuitSource a = load_circuit(first_), b = load_circuit(second_);
    if (a.model && b.model && !same_surroundings(*a.model, *b.model)) return kCheckFailed;
    const Pair pair = match(a, b);
    fmt::print("{}: {} inputs, {} outputs, {} and {} gates\n", pair.what, format_count(pair.first.inputs),
               format_count(pair.first.outputs.size()), format_count(pair.first.gates.size()),
               format_count(pair.second.gates.size()));
    const Equivalence result = compare(pair);
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

 private:
  static bool same_surroundings(const CircuitModel& a, const CircuitModel& b) {
    const EncoderParts &x = a.encoder.parts(), &y = b.encoder.parts();
    bool same = x.encoding == y.encoding && x.values == y.values && x.input_shape == y.input_shape &&
                x.thresholds.rows() == y.thresholds.rows() && x.thresholds.cols() == y.thresholds.cols();
    for (std::size_t t = 0; same && t < x.thresholds.rows(); ++t)
      same = std::ranges::equal(x.thresholds[t], y.thresholds[t]);
    if (!same) fmt::print("DIFFERENT: the encoders are not the same\n");
    const bool heads = a.head == b.head && a.network.classes == b.network.classes;
    if (!heads) fmt::print("DIFFERENT: the heads are not the same\n");
    return same && heads;
  }

  static Pair match(const CircuitSource& a, const CircuitSource& b) {
    if (a.model && b.model)
      return {netlist_of(*a.model), netlist_of(*b.model), "circuits alone, encoders and heads equal"};
    if (a.model) return match_file(*a.model, b);
    if (b.model) {
      Pair pair = match_file(*b.model, a);
      std::swap(pair.first, pair.second);
      return pair;
    }
    const std::size_t inputs = a.circuit->netlist.inputs, outputs = a.circuit->netlist.outputs.size();
    return {in_bus_order(*a.circuit, inputs, outputs, a.file), in_bus_order(*b.circuit, inputs, outputs, b.file),
            "two files"};
  }

  // What a file holds is known by its size: the circuit alone, or with encoder, head, or both.
  static Pair match_file(const CircuitModel& model, const CircuitSource& file) {
    Netlist reference = netlist_of(model);
    const Netlist& found = file.circuit->netlist;
    std::string what = "circuit";
    if (found.outputs.size() != reference.outputs.size() && found.outputs.size() == class_bits(model.network.classes)) {
      reference = with_head(reference, model.network.classes, model.head);
      what += " with head";
    }
    if (found.inputs != reference.inputs && found.inputs == 8 * model.encoder.input_shape().size()) {
      reference = with_encoder(reference, model.encoder);
      what += " with encoder";
    }
    Netlist ordered = in_bus_order(*file.circuit, reference.inputs, reference.outputs.size(), file.file);
    return {std::move(reference), std::move(ordered), what};
  }

  Equivalence compare(const Pair& pair) const {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress("gate", pair.first.gates.size() + pair.second.gates.size(), seconds_since_start_of_clock);
    return check_equivalence(pair.first, pair.second, settings_, [&](std::size_t done, std::size_t) {
      progress.update(done);
      if (progress.elapsed() > 1) printer.show(progress);
    });
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
  EquivalenceSettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_verify() {
  return std::make_unique<Verify>();
}

}  // namespace firn
