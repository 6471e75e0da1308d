#include "firn/cli/commands/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/cli/input_option.h"
#include "firn/cli/progress.h"
#include "firn/prove/equivalence.h"
#include "firn/study/circuit_source.h"
#include "firn/study/export_circuit.h"
#include "firn/study/output_file.h"

namespace firn::cli {
namespace {

class Verify final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("A", first_, "Checkpoint, compiled model, or circuit in .aig, .aag, .blif, .c or .v")
        .required()
        .type_name("");
    options.add("B", second_, "Another one").required().type_name("");
    options.add("--input", input_, "How features arrive at a circuit with encoder: uint8, float32 or fixed:I.F")
        .type_name("FORMAT");
    options.add("--seed", settings_.seed, "Seed of the random patterns").type_name("N");
    options.add("--patterns", settings_.patterns, "Random patterns to try before anything is proved")
        .between(std::size_t{1}, std::size_t{1} << 30)
        .type_name("N");
    options.add("--effort", settings_.output_conflicts, "Conflicts the solver may spend on one output")
        .between(1, 2'000'000'000)
        .type_name("N");
    options.add_flag("--no-sharing", no_sharing_,
                     "Leave every output to the solver, whatever gates the circuits share");
    options.add("--witness", witness_, "Where to write the inputs of a difference, one 0 or 1 per line")
        .type_name("FILE");
  }

  int run() override {
    check_output(witness_, {first_, second_});
    const std::optional<InputFormat> input = input_option(input_);
    const CircuitSource a = load_circuit(first_), b = load_circuit(second_);
    if (a.model && b.model) {
      const std::string difference = different_surroundings(*a.model, *b.model);
      if (!difference.empty()) {
        fmt::print("DIFFERENT: {}\n", difference);
        return kCheckFailed;
      }
    }
    const std::vector<ComparedCircuits> readings = comparisons_of(a, b, input);
    for (std::size_t i = 0;; ++i) {
      const ComparedCircuits& pair = readings[i];
      if (!same_sizes(pair)) return kCheckFailed;
      const Equivalence result = compare(pair);
      if (!result.difference || i + 1 == readings.size()) return tell(pair, result);
    }
  }

 private:
  bool same_sizes(const ComparedCircuits& pair) const {
    if (pair.first.inputs == pair.second.inputs && pair.first.outputs.size() == pair.second.outputs.size()) return true;
    fmt::print("DIFFERENT: {} has {} inputs and {} outputs, {} has {} and {}\n", first_, pair.first.inputs,
               pair.first.outputs.size(), second_, pair.second.inputs, pair.second.outputs.size());
    return false;
  }

  Equivalence compare(const ComparedCircuits& pair) {
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

  int tell(const ComparedCircuits& pair, const Equivalence& result) const {
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

  std::string first_, second_, input_, witness_;
  bool no_sharing_ = false;
  EquivalenceSettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_verify() {
  return std::make_unique<Verify>();
}

}  // namespace firn::cli
