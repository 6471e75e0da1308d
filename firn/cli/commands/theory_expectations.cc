#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/small_problem_option.h"
#include "firn/cli/commands/theory.h"
#include "firn/cli/progress.h"
#include "firn/theory/assignments.h"
#include "firn/theory/completions.h"
#include "firn/theory/decomposition.h"
#include "firn/theory/sequential.h"

namespace firn {
namespace {

using Align = TextTable::Align;

constexpr double kRounding = 1e-12;
constexpr std::size_t kAllTried = 4;  // gates up to which the enumeration is compared with all 16^N networks

std::string number(double v) {
  return fmt::format("{:.9f}", v);
}

class TheoryExpectations final : public Command {
 public:
  TheoryExpectations() { problem_.model().widths = {2, 2}; }

  void add_options(CLI::App& app) override {
    problem_.add_to(app);
    app.add_option("--order", order_, fmt::format("Which gates are fixed first: {}", fmt::join(neuron_orders(), ", ")))
        ->check(CLI::IsMember(neuron_orders()))
        ->type_name("NAME");
    app.add_option("--steps", fit_.steps, "Training steps before anything is fixed")->type_name("N");
    app.add_option("--draws", monte_carlo_.draws, "Networks drawn for estimates")
        ->check(CLI::Range(2, 100000000))
        ->type_name("N");
    app.add_flag("--monte-carlo", estimate_, "Choose by estimates even where everything can be enumerated");
  }

  int run() override {
    const Population population = problem_.population();
    const SmallNetwork network = problem_.network(population.inputs);
    const Population seen = as_seen_by(network.gates(), population);
    const Problem problem{network, seen, reference::loss_formulas(problem_.model().loss)};
    const CountTable counts(problem);
    monte_carlo_.seed = problem_.seed();
    const Distribution q = fit(problem, network.distribution(), fit_);
    exact_ = can_enumerate(problem);
    const bool estimated = estimate_ || !exact_;
    fmt::print("{}; fixed {}, conditional risks {}\n\n", problem_.describe(population, network), order_,
               estimated ? fmt::format("estimated from {} drawn networks", monte_carlo_.draws) : "enumerated exactly");
    const auto order = neuron_order(order_, q, problem_.seed());
    const Criterion criterion =
        estimated ? conditional_expectation(problem, counts, monte_carlo_) : conditional_expectation(problem, counts);
    const SequentialSelection chosen = fix_in_order(q, order, with_progress(criterion, q.size()));
    const bool falls = print_steps(problem, counts, q, chosen);
    const bool ordered = print_risks(problem, counts, q, order, chosen, estimated);
    const bool agrees = compare_with_all(problem, counts, q);
    return (falls || estimated) && ordered && agrees ? kDone : kCheckFailed;
  }

 private:
  // The same criterion, with a line about the gates that are decided while they are many or slow.
  static Criterion with_progress(const Criterion& criterion, std::size_t gates) {
    const auto progress = std::make_shared<Progress>("gate", gates, seconds_since_start_of_clock);
    const auto printer = std::make_shared<ProgressPrinter>(error_stream(), seconds_since_start_of_clock);
    return [=](const Distribution& q, std::size_t neuron) {
      const GateWeights values = criterion(q, neuron);
      progress->update(progress->done() + 1);
      printer->show(*progress);
      return values;
    };
  }

  // E_q[R(G)]: exact where it can be enumerated, else estimated with its error.
  Estimate expected(const Problem& problem, const CountTable& counts, const Distribution& q) const {
    if (exact_) return {expected_risk(problem, counts, q), 0};
    return estimate_expected_risk(problem, counts, q, monte_carlo_);
  }

  bool print_steps(const Problem& problem, const CountTable& counts, const Distribution& q,
                   const SequentialSelection& chosen) const {
    TextTable table({{"gate", Align::kRight}, {"argmax"}, {"chosen"}, {"conditional risk", Align::kRight}});
    double before = expected(problem, counts, q).mean;
    table.add({"", "", "nothing fixed", number(before)});
    bool falls = true;
    for (const SelectionStep& step : chosen.steps) {
      const double risk = step.criterion[static_cast<std::size_t>(step.gate)];
      falls = falls && risk <= before + kRounding;
      before = risk;
      table.add({std::to_string(step.neuron), std::string(name(argmax(q)[step.neuron])), std::string(name(step.gate)),
                 number(risk)});
    }
    fmt::print("{}\n", table.str());
    if (exact_ && !estimate_) fmt::print("the conditional risk {}\n\n", falls ? "never rises" : "RISES");
    return falls;
  }

  bool print_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                   const std::vector<std::size_t>& order, const SequentialSelection& chosen, bool estimated) const {
    const auto risk = [&](const Assignment& gates) { return discrete_risk(problem, counts, gates); };
    const Estimate mean = expected(problem, counts, q);
    const double selected = risk(chosen.gates);
    std::optional<double> best;
    if (problem.network.neurons() <= kMaxSearched) best = best_assignment(problem, counts).risk;
    TextTable table({{"network"}, {"risk", Align::kRight}});
    table.add({"R*, the best of all", best ? number(*best) : "too many to search"});
    table.add({"R(g_CE), conditional expectations", number(selected)});
    table.add({"E_q[R(G)], drawn from q",
               mean.error > 0 ? fmt::format("{} +- {:.1e}", number(mean.mean), mean.error) : number(mean.mean)});
    table.add({"R(argmax)", number(risk(argmax(q)))});
    table.add({"R(first-order choice)", number(risk(fix_in_order(q, order, first_order(problem)).gates))});
    table.add(
        {"R(relaxed-intervention choice)", number(risk(fix_in_order(q, order, relaxed_intervention(problem)).gates))});
    fmt::print("{}\n", table.str());
    const bool above = !best || *best <= selected + kRounding;
    const bool below = selected <= mean.mean + 4 * mean.error + kRounding;
    fmt::print("R* <= R(g_CE) <= E_q[R(G)] {}{}\n", above && below ? "holds" : "FAILS",
               estimated ? " (the right half is promised for exact conditional risks only)" : "");
    return above && (below || estimated);
  }

  // The sum over 2^N outcomes against the plain sum over 16^N networks, and draws against both.
  bool compare_with_all(const Problem& problem, const CountTable& counts, const Distribution& q) const {
    if (!exact_) return true;
    const double enumerated = expected_risk(problem, counts, q);
    const Estimate drawn = estimate_expected_risk(problem, counts, q, monte_carlo_);
    fmt::print("E_q[R(G)] from {} drawn networks: {} +- {:.1e}, {:.1f} errors from the exact value\n",
               monte_carlo_.draws, number(drawn.mean), drawn.error,
               drawn.error > 0 ? std::abs(drawn.mean - enumerated) / drawn.error : 0.0);
    if (problem.network.neurons() > kAllTried) return true;
    double sum = 0;
    std::size_t networks = 0;
    AssignmentRisk(problem, counts).for_each([&](const Assignment& gates, double risk) {
      double probability = 1;
      for (std::size_t n = 0; n < gates.size(); ++n) probability *= q[n][static_cast<std::size_t>(gates[n])];
      sum += probability * risk;
      ++networks;
    });
    const bool agrees = std::abs(sum - enumerated) <= kRounding;
    fmt::print("E_q[R(G)] as the sum over all {} networks: {}, {} (difference {:.1e})\n", networks, number(sum),
               agrees ? "the same" : "NOT THE SAME", sum - enumerated);
    return agrees;
  }

  SmallProblemOption problem_;
  std::string order_ = "input-first";
  FitSettings fit_{.steps = 0};
  MonteCarlo monte_carlo_{.draws = 10000};
  bool estimate_ = false, exact_ = false;
};

}  // namespace

std::unique_ptr<Command> make_theory_expectations() {
  return std::make_unique<TheoryExpectations>();
}

}  // namespace firn
