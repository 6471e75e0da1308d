#include "firn/cli/commands/discretize.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "firn/base/clock.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/study/discretize_checkpoint.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class Discretize final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", file_, "Checkpoint of a run").required().type_name("");
    options.add("--rule", settings_.rule, fmt::format("One of {}", fmt::join(discretize_rules(), ", ")))
        .one_of(discretize_rules())
        .type_name("NAME");
    options.add("--out", out_, "Checkpoint to write, with every neuron frozen").required().type_name("FILE");
    options.add("--order", settings_.order, "Which layers are decided first")
        .one_of({"input-first", "output-first"})
        .type_name("input-first|output-first");
    options.add("--layers", settings_.layers, "Only these layers by the rule, in this order; argmax elsewhere")
        .separated_by(',')
        .type_name("LIST");
    budget_ = options
                  .add("--budget", settings_.budget,
                       "Neurons that the rule looks at, the least certain first; argmax for the others; 0 is all")
                  .type_name("N");
    candidates_ = options.add("--candidates", settings_.candidates, "Gates compared for a neuron, the likeliest ones")
                      .between(1, 16)
                      .type_name("N");
    options.add("--completions", settings_.completions, "Circuits drawn by conditional-expectation-mc")
        .between(1, 100000)
        .type_name("N");
    options.add("--samples", samples_, "Training examples that risks are measured on")
        .between(1, 1000000)
        .type_name("N");
    options.add("--seed", settings_.seed, "Of the examples and the drawn circuits").type_name("N");
    options.add_flag("--json", json_, "Print the result as JSON");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    if (settings_.rule == "refine") {
      if (budget_.given() || candidates_.given())
        throw UsageError("--budget and --candidates mean nothing to --rule refine");
    } else {
      const SelectionEntry& rule = selection_from_name(settings_.rule);
      if (!budget_.given()) settings_.budget = rule.budget;
      if (!candidates_.given()) settings_.candidates = rule.candidates;
    }
    Threads threads(threads_.count());
    const DiscretizeResult result = discretize(threads);
    json_ ? print_json(result) : print(result);
    return kDone;
  }

 private:
  DiscretizeResult discretize(Threads& threads) const {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    std::optional<Progress> progress;
    DiscretizeParams params{.checkpoint = file_,
                            .output = out_,
                            .data_root = data_root_.resolve(),
                            .settings = settings_,
                            .samples = samples_};
    params.on_warning = print_note;
    params.on_decision = [&](std::uint64_t done, std::uint64_t total) {
      if (!progress || progress->total() != total || done == 0)
        progress.emplace(settings_.rule == "refine" ? "unit" : "neuron", total, seconds_since_start_of_clock);
      progress->update(done);
      printer.show(*progress);
    };
    return discretize_checkpoint(params, threads);
  }

  void print(const DiscretizeResult& result) const {
    fmt::print("{}, step {}: {} -> {}\n\n", file_, format_count(result.step), settings_.rule, out_);
    TextTable layers({{"layer"},
                      {"neurons", Align::kRight},
                      {"frozen before", Align::kRight},
                      {"looked at", Align::kRight},
                      {"not argmax", Align::kRight}});
    for (const LayerDecisions& l : result.layers)
      layers.add({l.layer, format_count(l.neurons), format_count(l.frozen_before), format_count(l.looked_at),
                  format_count(l.changed)});
    fmt::print("{}\n", layers.str());
    TextTable risks({{"circuit"},
                     {"validation loss", Align::kRight},
                     {"accuracy", Align::kRight},
                     {fmt::format("loss on {} samples", result.samples_before.count), Align::kRight},
                     {"accuracy", Align::kRight}});
    const auto add = [&](const char* name, const Evaluation& validation, const Evaluation& samples) {
      risks.add({name, fmt::format("{:.6f}", validation.loss()), fmt::format("{:.2f} %", 100 * validation.accuracy()),
                 fmt::format("{:.6f}", samples.loss()), fmt::format("{:.2f} %", 100 * samples.accuracy())});
    };
    add("before: argmax", result.validation_before, result.samples_before);
    add("after", result.validation_after, result.samples_after);
    fmt::print("{}", risks.str());
  }

  void print_json(const DiscretizeResult& result) const {
    const auto risk = [](const Evaluation& e) {
      return nlohmann::json{{"examples", e.count}, {"loss", e.loss()}, {"accuracy", e.accuracy()}};
    };
    nlohmann::json layers = nlohmann::json::array();
    for (const LayerDecisions& l : result.layers)
      layers.push_back({{"layer", l.layer},
                        {"neurons", l.neurons},
                        {"frozen_before", l.frozen_before},
                        {"looked_at", l.looked_at},
                        {"not_argmax", l.changed}});
    const nlohmann::json object = {
        {"checkpoint", file_},
        {"out", out_},
        {"rule", settings_.rule},
        {"layers", layers},
        {"validation", {{"before", risk(result.validation_before)}, {"after", risk(result.validation_after)}}},
        {"samples", {{"before", risk(result.samples_before)}, {"after", risk(result.samples_after)}}}};
    fmt::print("{}\n", object.dump(2));
  }

  std::string file_, out_;
  SelectionSettings settings_;
  std::size_t samples_ = 512;
  bool json_ = false;
  Option budget_, candidates_;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_discretize() {
  return std::make_unique<Discretize>();
}

}  // namespace firn::cli
