#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/base/table.h"
#include "firn/cli/commands/theory.h"
#include "firn/cli/usage_error.h"
#include "firn/theory/concentration.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class TheoryConcentration final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("--loss", settings_.loss, "squared or bce").one_of({"squared", "bce"}).type_name("NAME");
    options.add("--copies", settings_.copies, "m: how many gates an optimal network sets to TRUE").type_name("M");
    pi_ = options.add("--pi", settings_.positives, "Probability of label 1").type_name("P");
    logit_ = options.add("--logit", best_logit_, "bce: the best score, instead of --pi").type_name("Z");
    options.add("--n-max", settings_.n_max, "Largest number of gates").type_name("N");
  }

  int run() override {
    if (logit_.given()) {
      if (pi_.given()) throw UsageError("--pi and --logit say the same thing; give one of them");
      if (settings_.loss != "bce") throw UsageError("--logit is for --loss bce; use --pi");
      settings_.positives = 1 / (1 + std::exp(-best_logit_));
    }
    const Concentration result = run_concentration(settings_);
    fmt::print("loss {}, labels 1 with probability {:.6g}: best score z* = {:.6g}, argmax score 0, c = {:.12f}\n\n",
               settings_.loss, settings_.positives, result.best_prediction, result.closed_form);
    print(result);
    double worst = 0;
    for (const ConcentrationRow& row : result.rows)
      worst = std::max({worst, std::abs(row.gap() - result.closed_form), std::abs(row.relaxed_risk - row.best_risk)});
    fmt::print(
        "\nThe gates become as certain as one likes, the relaxed risk is the lowest there is, and argmax stays c "
        "above it:\nlargest deviation {:.1e}\n",
        worst);
    return worst < 1e-9 ? kDone : kCheckFailed;
  }

 private:
  static void print(const Concentration& result) {
    TextTable table({{"gates", Align::kRight},
                     {"entropy", Align::kRight},
                     {"Gini", Align::kRight},
                     {"1 - max q", Align::kRight},
                     {"relaxed risk", Align::kRight},
                     {"argmax risk", Align::kRight},
                     {"best discrete", Align::kRight},
                     {"gap", Align::kRight}});
    for (const ConcentrationRow& row : result.rows)
      table.add({fmt::format("{}", row.neurons), fmt::format("{:.6f}", row.entropy), fmt::format("{:.6f}", row.gini),
                 fmt::format("{:.6f}", row.non_modal), fmt::format("{:.9f}", row.relaxed_risk),
                 fmt::format("{:.9f}", row.argmax_risk), fmt::format("{:.9f}", row.best_risk),
                 fmt::format("{:.10f}", row.gap())});
    fmt::print("{}", table.str());
  }

  ConcentrationSettings settings_;
  double best_logit_ = 0;
  Option pi_, logit_;
};

}  // namespace

std::unique_ptr<Command> make_theory_concentration() {
  return std::make_unique<TheoryConcentration>();
}

}  // namespace firn::cli
