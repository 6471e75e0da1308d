#include <fmt/format.h>

#include <string>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/theory.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/theory/random_networks.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

std::string share(std::size_t part, std::size_t whole) {
  if (whole == 0) return "none";
  return fmt::format("{} of {} ({:.1f} %)", format_count(part), format_count(whole),
                     100 * static_cast<double>(part) / static_cast<double>(whole));
}

class TheoryBounds final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("--networks", settings_.networks, "Random networks to test").between(1, 1000000).type_name("N");
    options.add("--max-gates", settings_.max_neurons, "Gates of a network").between(2, 10).type_name("N");
    options.add("--seed", settings_.seed, "Of everything that is drawn").type_name("N");
    threads_.add_to(options);
  }

  int run() override {
    Threads threads(threads_.count());
    Progress progress("network", settings_.networks, seconds_since_start_of_clock);
    BoundsReport report;
    {
      ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
      report = check_bounds(settings_, threads, [&](std::size_t done) {
        progress.update(done);
        printer.show(progress);
      });
    }
    fmt::print("{} random networks, {} decisions, seed {}\n\n", format_count(report.networks),
               format_count(report.decisions), settings_.seed);
    TextTable table({{"inequality"},
                     {"tested", Align::kRight},
                     {"violated", Align::kRight},
                     {"smallest slack", Align::kRight},
                     {"median left/right", Align::kRight}});
    for (const InequalityCheck& check : report.checks)
      table.add({check.name, format_count(check.tested), format_count(check.violated),
                 check.tested == 0 ? "" : fmt::format("{:.2e}", check.smallest_slack),
                 check.ratios.empty() ? "" : fmt::format("{:.3f}", check.median_ratio())});
    fmt::print("{}\n", table.str());
    fmt::print("Gamma > 2 eps held in {} decisions\n", share(report.condition_held, report.decisions));
    fmt::print("where first-order choice and argmax differ, the first-order choice had the lower C_CE in {}\n",
               share(report.first_order_won, report.disagreements));
    return report.violations() == 0 ? kDone : kCheckFailed;
  }

 private:
  BoundsSettings settings_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_theory_bounds() {
  return std::make_unique<TheoryBounds>();
}

}  // namespace firn::cli
