#include "firn/study/evaluate_checkpoint.h"

#include "firn/study/same_data.h"
#include "firn/study/session.h"

namespace firn::study {

CheckpointEvaluation evaluate_checkpoint(const EvaluateParams& params, Threads& threads) {
  LoadedCheckpoint loaded = load_checkpoint(params.checkpoint, params.data_root, *params.parts);
  const Experiment& experiment = loaded.experiment;
  const SubsetExamples chosen = subset_of(experiment, params.subset);
  Evaluator evaluator(*experiment.model, experiment.encoder, experiment.loss, loaded.config.train.temperature,
                      experiment.classes(), threads);
  CheckpointEvaluation result{
      loaded.header.step, experiment.classes(), experiment.data.class_names, {}, experiment.data.shape};
  result.warning = warn_of_changed_split(experiment.data, params.subset == Subset::kTest, loaded.header.data,
                                         params.checkpoint.string());
  for (const EvaluationMode mode : params.modes)
    result.evaluations.push_back(evaluator.run(chosen.examples, chosen.indices, mode, /*with_auc=*/true));
  return result;
}

}  // namespace firn::study
