#include "firn/study/prune_circuit.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/infer/predictor.h"
#include "firn/study/output_file.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/study/subset.h"

namespace firn::study {

namespace {

struct Part {
  std::string_view name;
  Examples examples;
};

// What a data set has besides its training examples.
std::vector<Part> held_out_parts(const Experiment& experiment) {
  std::vector<Part> parts;
  if (!experiment.split.validation.empty())
    parts.push_back({"validation", gather_examples(experiment.data.train, experiment.split.validation)});
  if (experiment.data.test.count() > 0) {
    const SubsetExamples test = subset_of(experiment, Subset::kTest);
    parts.push_back({"test", gather_examples(test.examples, test.indices)});
  }
  return parts;
}

// Where values are predicted, the counts stand for them.
struct Predicted {
  std::vector<std::uint16_t> classes;
  Matrix<std::uint32_t> counts;
};

Predicted predict_part(const CircuitModel& model, const Examples& examples, Threads& threads) {
  const std::unique_ptr<Machine> machine = make_machine(model);
  Predicted result{std::vector<std::uint16_t>(examples.count()),
                   Matrix<std::uint32_t>(examples.count(), model.network.head.groups)};
  Predictor(model, *machine, threads).predict(examples, 0, result.classes, &result.counts);
  return result;
}

std::size_t right_ones(const Predicted& predicted, const Examples& examples) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < examples.labels.size(); ++i) right += predicted.classes[i] == examples.labels[i];
  return right;
}

PruneAgreement compare(const Part& part, const CircuitModel& before, const CircuitModel& after, Threads& threads) {
  const Predicted exact = predict_part(before, part.examples, threads);
  const Predicted pruned = predict_part(after, part.examples, threads);
  const bool values = before.network.head.is_value;
  PruneAgreement agreement{.part = part.name, .examples = part.examples.count(), .has_classes = !values};
  for (std::size_t i = 0; i < agreement.examples; ++i)
    agreement.alike += values ? exact.counts[i][0] == pruned.counts[i][0] : exact.classes[i] == pruned.classes[i];
  if (!values) {
    agreement.right_before = right_ones(exact, part.examples);
    agreement.right_after = right_ones(pruned, part.examples);
  }
  return agreement;
}

}  // namespace

PruneReport prune_circuit(CompiledCircuit& compiled, const std::filesystem::path& checkpoint,
                          const std::string& data_root, Threads& threads, const Parts& parts) {
  if (!compiled.machine)
    throw Error(fmt::format("{} was not unrolled, and only the gates of a circuit can be pruned", checkpoint.string()));
  const LoadedCheckpoint loaded = load_checkpoint(checkpoint, data_root, parts);
  const Experiment& experiment = loaded.experiment;
  PruneReport report;
  report.files = files_of_data(loaded.config, data_root);
  report.warning = warn_of_changed_split(experiment.data, /*test=*/false, loaded.header.data, checkpoint.string());
  report.examples = experiment.split.train.size();
  const CircuitModel exact = compiled.model;
  report.stats = prune_unvisited(compiled.model, gather_examples(experiment.data.train, experiment.split.train));
  compiled.machine = std::make_unique<CircuitMachine>(*compiled.model.netlist, exact.network.head.groups);
  for (const Part& part : held_out_parts(experiment))
    report.agreements.push_back(compare(part, exact, compiled.model, threads));
  return report;
}

}  // namespace firn::study
