#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/small_problem_option.h"
#include "firn/cli/commands/theory.h"
#include "firn/cli/progress.h"
#include "firn/theory/assignments.h"
#include "firn/theory/completions.h"
#include "firn/theory/decomposition.h"
#include "firn/theory/sequential.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

constexpr double kRounding = 1e-12;
constexpr std::size_t kAllTried = 4;  // gates up to which the enumeration is compared with all 16^N networks

std::string number(double v) {
  return fmt::format("{:.9f}", v);
}

std::string number(const MonteCarloEstimate& estimate) {
  return estimate.error > 0 ? fmt::format("{:.9f} +- {:.1e}", estimate.mean, estimate.error) : number(estimate.mean);
}

class TheoryExpectations final : public Command {
 public:
  TheoryExpectations() { problem_.model().widths = {2, 2}; }

  void add_options(Options& options) override {
    problem_.add_to(options);
    options.add("--order", order_, fmt::format("Which gates are fixed first: {}", fmt::join(neuron_orders(), ", ")))
        .one_of(neuron_orders())
        .type_name("NAME");
    options.add("--steps", fit_.steps, "Training steps before anything is fixed").type_name("N");
    options.add("--draws", monte_carlo_.draws, "Networks drawn for estimates").between(2, 100000000).type_name("N");
    options.add_flag("--monte-carlo", estimate_, "Choose by estimates even where everything can be enumerated");
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
      const GateEstimates values = criterion(q, neuron);
      progress->update(progress->done() + 1);
      printer->show(*progress);
      return values;
    };
  }

  // E_q[R(G)]: exact where it can be enumerated, else estimated with its error.
  MonteCarloEstimate expected(const Problem& problem, const CountTable& counts, const Distribution& q) const {
    if (exact_) return {expected_risk(problem, counts, q), 0};
    return estimate_expected_risk(problem, counts, q, monte_carlo_);
  }

  bool print_steps(const Problem& problem, const CountTable& counts, const Distribution& q,
                   const SequentialSelection& chosen) const {
    TextTable table({{"gate", Align::kRight}, {"argmax"}, {"chosen"}, {"conditional risk", Align::kRight}});
    const MonteCarloEstimate start = expected(problem, counts, q);
    table.add({"", "", "nothing fixed", number(start)});
    double before = start.mean;
    bool falls = true;
    for (const SelectionStep& step : chosen.steps) {
      falls = falls && step.chosen().mean <= before + kRounding;
      before = step.chosen().mean;
      table.add({std::to_string(step.neuron), std::string(name(argmax(q)[step.neuron])), std::string(name(step.gate)),
                 number(step.chosen())});
    }
    fmt::print("{}\n", table.str());
    if (exact_ && !estimate_) fmt::print("the conditional risk {}\n\n", falls ? "never rises" : "RISES");
    return falls;
  }

  bool print_risks(const Problem& problem, const CountTable& counts, const Distribution& q,
                   const std::vector<std::size_t>& order, const SequentialSelection& chosen, bool estimated) const {
    const auto risk = [&](const Assignment& gates) { return discrete_risk(problem, counts, gates); };
    const MonteCarloEstimate mean = expected(problem, counts, q);
    const double selected = risk(chosen.gates);
    std::optional<double> best;
    if (problem.network.neurons() <= kMaxSearched) best = best_assignment(problem, counts).risk;
    TextTable table({{"network"}, {"risk", Align::kRight}});
    table.add({"R*, the best of all", best ? number(*best) : "too many to search"});
    table.add({"R(g_CE), conditional expectations", number(selected)});
    table.add({"E_q[R(G)], drawn from q", number(mean)});
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

  struct AllNetworks {
    double expected = 0;            // E_q[R(G)]
    double largest_difference = 0;  // of a conditional risk from the enumerated one
    std::size_t count = 0;
  };
  static AllNetworks sum_over_all(const Problem& problem, const CountTable& counts, const Distribution& q) {
    AllNetworks all;
    Distribution conditional(q.size(), GateWeights{});
    AssignmentRisk(problem, counts).for_each([&](const Assignment& gates, double risk) {
      double probability = 1;
      for (std::size_t n = 0; n < gates.size(); ++n) {
        probability *= q[n][static_cast<std::size_t>(gates[n])];
        double of_others = 1;
        for (std::size_t m = 0; m < gates.size(); ++m)
          if (m != n) of_others *= q[m][static_cast<std::size_t>(gates[m])];
        conditional[n][static_cast<std::size_t>(gates[n])] += of_others * risk;
      }
      all.expected += probability * risk;
      ++all.count;
    });
    for (std::size_t n = 0; n < q.size(); ++n) {
      const GateWeights enumerated = conditional_risks(problem, counts, q, n);
      for (std::size_t k = 0; k < kSlots; ++k)
        all.largest_difference = std::max(all.largest_difference, std::abs(enumerated[k] - conditional[n][k]));
    }
    return all;
  }

  // The sum over 2^N outcomes against the plain sum over 16^N networks, and draws against both.
  bool compare_with_all(const Problem& problem, const CountTable& counts, const Distribution& q) const {
    if (!exact_) return true;
    const double enumerated = expected_risk(problem, counts, q);
    const MonteCarloEstimate drawn = estimate_expected_risk(problem, counts, q, monte_carlo_);
    fmt::print("E_q[R(G)] from {} drawn networks: {} +- {:.1e}, {:.1f} errors from the exact value\n",
               monte_carlo_.draws, number(drawn.mean), drawn.error,
               drawn.error > 0 ? std::abs(drawn.mean - enumerated) / drawn.error : 0.0);
    if (problem.network.neurons() > kAllTried) return true;
    const auto [sum, difference, networks] = sum_over_all(problem, counts, q);
    const bool agrees = std::abs(sum - enumerated) <= kRounding && difference <= kRounding;
    fmt::print("E_q[R(G)] as the sum over all {} networks: {}, {}\n", networks, number(sum),
               agrees ? "the same" : "NOT THE SAME");
    fmt::print("largest difference of any E_q[R(G)] or C_CE from those sums: {:.1e}\n",
               std::max(difference, std::abs(sum - enumerated)));
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

}  // namespace firn::cli
