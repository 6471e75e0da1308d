#include "firn/study/answer_checkpoint.h"

#include <algorithm>
#include <numeric>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/study/circuit_source.h"
#include "firn/study/predict_samples.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/study/subset.h"
#include "firn/train/evaluate.h"

namespace firn::study {

Answers answer_checkpoint(const Checkpoint& checkpoint, const std::string& data_root, std::size_t limit,
                          Threads& threads, const Parts& parts) {
  LoadedCheckpoint loaded = load_checkpoint(checkpoint, data_root, parts);
  const Experiment& experiment = loaded.experiment;
  const Subset subset = experiment.data.test.count() > 0 ? Subset::kTest : Subset::kValidation;
  const SubsetExamples all = subset_of(experiment, subset);
  const CircuitModel model = harden_checkpoint(checkpoint, parts);
  if (model.network.head.is_value) throw Error("the network predicts values, not classes");

  Answers answers;
  answers.split = long_name_of(subset);
  answers.warning =
      warn_of_changed_split(experiment.data, subset == Subset::kTest, checkpoint.header().data, checkpoint.source());
  answers.available = all.indices.size();
  answers.class_names = experiment.data.class_names;
  answers.shape = experiment.data.shape;
  answers.head = model.network.head;
  const std::size_t count = std::min(limit, all.indices.size());
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * all.indices.size() / count;
    chosen.push_back(all.indices[at]);
    answers.numbers.push_back(static_cast<std::uint32_t>(at + 1));
  }
  answers.examples = gather_examples(all.examples, chosen);

  Evaluator evaluator(*experiment.model, experiment.encoder, experiment.loss, loaded.config.train.temperature,
                      experiment.classes(), threads);
  std::vector<std::uint32_t> every(count);
  std::iota(every.begin(), every.end(), 0u);
  answers.relaxed = evaluator.relaxed_sums(answers.examples, every);
  const SamplePredictions predictions = predict_samples(model, answers.examples, threads);
  const Head& head = model.network.head;
  answers.discrete = Matrix<float>(count, head.groups);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t g = 0; g < head.groups; ++g)
      answers.discrete[i][g] = head.offset + head.factor * static_cast<float>(predictions.counts[i][g]);
  return answers;
}

}  // namespace firn::study
