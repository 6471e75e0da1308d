#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"
#include "firn/base/table.h"
#include "firn/cli/commands/small_problem_option.h"
#include "firn/cli/commands/theory.h"
#include "firn/theory/assignments.h"
#include "firn/theory/decomposition.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

constexpr double kGapRounding = 1e-12;

class TheoryGaps final : public Command {
 public:
  TheoryGaps() {
    problem_.task().task = "majority";
    problem_.task().inputs = 3;
    problem_.task().noise = 0.3;
    problem_.model().widths = {3};
    problem_.model().scale = 6;
  }

  void add_options(Options& options) override {
    problem_.add_to(options);
    options.add("--steps", fit_.steps, "Training steps on the whole population").type_name("N");
    options.add("--rate", fit_.rate, "Learning rate").between(1e-6, 10.0).type_name("X");
    options.add("--starts", starts_, "Descents that look for the relaxed optimum").between(2, 10000).type_name("N");
  }

  int run() override {
    const Population population = problem_.population();
    const SmallNetwork network = problem_.network(population.inputs);
    if (network.neurons() > kMaxSearched)
      throw Error(fmt::format("the optimum of {} gates cannot be searched; choose a network of at most {}",
                              network.neurons(), kMaxSearched));
    const Population seen = as_seen_by(network.gates(), population);
    const Problem problem{network, seen, reference::loss_formulas(problem_.model().loss)};
    const CountTable counts(problem);
    const Distribution trained = fit(problem, network.distribution(), fit_);
    const GapDecomposition gaps = measure_gaps(problem, counts, trained, starts_, problem_.seed());
    fmt::print("{}; {} training steps\n\n", problem_.describe(population, network), fit_.steps);
    return print(gaps) ? kDone : kCheckFailed;
  }

 private:
  static bool print(const GapDecomposition& gaps) {
    TextTable risks({{"risk"}, {"value", Align::kRight}, {"how it was found"}});
    const double open = gaps.best_relaxed - gaps.relaxed_bound;
    const auto cell = [](double v) { return fmt::format("{:.9f}", std::abs(v) < 5e-10 ? 0.0 : v); };
    risks.add({"R_rel(q), trained", cell(gaps.relaxed), "forward pass in double"});
    risks.add({"R_rel*", cell(gaps.best_relaxed),
               open < 1e-6 ? fmt::format("descent; proved to within {:.0e}", std::max(open, 1e-15))
                           : fmt::format("descent; proved only to be at least {:.6f}", gaps.relaxed_bound)});
    risks.add({"R_disc(argmax)", cell(gaps.argmax), "argmax network on bits"});
    risks.add({"R_disc*", cell(gaps.best), "all assignments of gates"});
    fmt::print("{}\n", risks.str());
    const double sum = gaps.train() + gaps.relaxation() + gaps.discretization();
    const bool signs =
        gaps.train() >= -kGapRounding && gaps.relaxation() <= kGapRounding && gaps.optimality() >= -kGapRounding;
    const bool adds_up = std::abs(sum - gaps.optimality()) <= kGapRounding;
    TextTable table({{"gap"}, {"value", Align::kRight}, {"sign"}});
    table.add({"training        R_rel(q) - R_rel*", cell(gaps.train()), "never negative"});
    table.add({"relaxation      R_rel* - R_disc*", cell(gaps.relaxation()), "never positive"});
    table.add({"discretization  R_disc(argmax) - R_rel(q)", cell(gaps.discretization()), "either"});
    table.add({"optimality      R_disc(argmax) - R_disc*", cell(gaps.optimality()), "never negative; the sum"});
    fmt::print("{}\n", table.str());
    fmt::print("signs {}; the three gaps {} to the optimality gap (difference {:.1e})\n", signs ? "hold" : "FAIL",
               adds_up ? "add up" : "DO NOT ADD UP", sum - gaps.optimality());
    return signs && adds_up;
  }

  SmallProblemOption problem_;
  FitSettings fit_{.steps = 100};
  std::size_t starts_ = 20;
};

}  // namespace

std::unique_ptr<Command> make_theory_gaps() {
  return std::make_unique<TheoryGaps>();
}

}  // namespace firn::cli
