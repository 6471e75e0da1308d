// The options that describe a small task and a small network, which the commands about theory share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "firn/cli/names.h"
#include "firn/theory/population.h"
#include "firn/theory/small_models.h"

namespace firn {

class SmallProblemOption {
 public:
  void add_to(CLI::App& app) {
    app.add_option("--task", task_.task, fmt::format("One of {}", fmt::join(names_of(tasks()), ", ")))
        ->check(CLI::IsMember(names_of(tasks())))
        ->type_name("NAME");
    app.add_option("--inputs", task_.inputs, "Input bits of parity, majority and teacher")->type_name("N");
    app.add_option("--teacher-gates", task_.gates, "Gates of the teacher circuit")->type_name("N");
    app.add_option("--noise", task_.noise, "Probability that a label is wrong")->type_name("P");
    app.add_option("--network", model_.kind, "dense, tree, or shared: trees moved over a square image")
        ->check(CLI::IsMember({"dense", "tree", "shared"}))
        ->type_name("KIND");
    app.add_option("--widths", model_.widths, "Gates in each dense layer, such as 3,2,1")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option("--trees", model_.trees, "Number of trees")->check(CLI::Range(1, 64))->type_name("N");
    app.add_option("--depth", model_.depth, "Depth of a tree: 2^depth - 1 gates")
        ->check(CLI::Range(1, 4))
        ->type_name("N");
    app.add_option("--loss", model_.loss, "bce, squared or cross-entropy")
        ->check(CLI::IsMember({"bce", "squared", "cross-entropy"}))
        ->type_name("NAME");
    app.add_option("--scale", model_.scale, "Distance from the lowest to the highest score")
        ->check(CLI::Range(1e-6, 1e6))
        ->type_name("X");
    app.add_option("--spread", model_.spread, "Standard deviation of the first logits: large means certain gates")
        ->check(CLI::Range(0.0, 30.0))
        ->type_name("X");
    app.add_option("--seed", model_.seed, "Of wiring, logits, orders and draws")->type_name("N");
  }

  PopulationSettings& task() { return task_; }
  SmallModelSettings& model() { return model_; }
  std::uint64_t seed() const { return model_.seed; }
  Population population() const {
    PopulationSettings settings = task_;
    settings.seed = model_.seed;
    return make_population(settings);
  }
  SmallNetwork network(std::size_t inputs) const { return make_small_network(model_, inputs); }

  // "parity of 4 bits, 16 samples; dense network of 4 gates, loss bce"
  std::string describe(const Population& population, const SmallNetwork& network) const {
    const std::string noise = task_.noise > 0 ? fmt::format(" with {} label noise", task_.noise) : "";
    const GateList& gates = network.gates();
    const std::string places =
        gates.is_shared ? fmt::format(", used at {} places", gates.applications.size()) : std::string();
    return fmt::format("{} on {} bits{}, {} samples; {} network of {} gates{}, loss {}", task_.task, population.inputs,
                       noise, population.size(), model_.kind, network.neurons(), places, model_.loss);
  }

 private:
  PopulationSettings task_;
  SmallModelSettings model_;
};

}  // namespace firn
