// The options that describe a small task and a small network, which the commands about theory share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "firn/base/family.h"
#include "firn/cli/options.h"
#include "firn/theory/population.h"
#include "firn/theory/small_models.h"

namespace firn::cli {

class SmallProblemOption {
 public:
  void add_to(Options& options) {
    options.add("--task", task_.task, fmt::format("One of {}", fmt::join(names_of(tasks()), ", ")))
        .one_of(names_of(tasks()))
        .type_name("NAME");
    options.add("--inputs", task_.inputs, "Input bits of parity, majority and teacher").type_name("N");
    options.add("--teacher-gates", task_.gates, "Gates of the teacher circuit").type_name("N");
    options.add("--noise", task_.noise, "Probability that a label is wrong").type_name("P");
    options.add("--network", model_.kind, "dense, tree, or shared: trees moved over a square image")
        .one_of({"dense", "tree", "shared"})
        .type_name("KIND");
    options.add("--widths", model_.widths, "Gates in each dense layer, such as 3,2,1")
        .separated_by(',')
        .type_name("LIST");
    options.add("--trees", model_.trees, "Number of trees").between(1, 64).type_name("N");
    options.add("--depth", model_.depth, "Depth of a tree: 2^depth - 1 gates").between(1, 4).type_name("N");
    options.add("--loss", model_.loss, "bce, squared or cross-entropy")
        .one_of({"bce", "squared", "cross-entropy"})
        .type_name("NAME");
    options.add("--scale", model_.scale, "Distance from the lowest to the highest score")
        .between(1e-6, 1e6)
        .type_name("X");
    options.add("--spread", model_.spread, "Standard deviation of the first logits: large means certain gates")
        .between(0.0, 30.0)
        .type_name("X");
    options.add("--seed", model_.seed, "Of wiring, logits, orders and draws").type_name("N");
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

}  // namespace firn::cli
