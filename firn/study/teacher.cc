#include "firn/study/teacher.h"

#include <fmt/core.h>

#include <span>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/split.h"
#include "firn/study/same_data.h"
#include "firn/study/session.h"
#include "firn/train/evaluate.h"

namespace firn::study {

namespace {

// Rows of logits are read by the number of classes, and samples by the teacher's own encoder.
void check_teacher(const RebuiltModel& teacher, const Experiment& experiment, const std::string& file) {
  const Dataset& data = experiment.data;
  check_same_samples(data, teacher.encoder, "the teacher " + file);
  if (teacher.model->outputs() != experiment.classes())
    throw Error(
        fmt::format("the teacher {} has {} outputs but \"{}\" has {} classes; a teacher must have been trained "
                    "on the same classes with the loss \"cross-entropy\"",
                    file, teacher.model->outputs(), data.name, experiment.classes()));
}

Matrix<float> logits_of_checkpoint(const Config& config, const Experiment& experiment, Threads& threads) {
  const Checkpoint checkpoint = Checkpoint::read(config.train.teacher.file);
  check_same_data(experiment.data, checkpoint.header(), checkpoint.source());
  const RebuiltModel teacher = rebuild_model(checkpoint, *config.parts);
  check_teacher(teacher, experiment, checkpoint.source());
  const Loss& loss = training::loss_from_name("cross-entropy");
  training::Evaluator evaluator(*teacher.model, teacher.encoder, loss, teacher.config.train.temperature,
                                experiment.classes(), threads);
  const Examples& examples = experiment.data.train;
  return evaluator.relaxed_sums(examples, all_indices(examples.count()));
}

}  // namespace

std::optional<training::Teacher> load_teacher(const Config& config, const Experiment& experiment, Threads& threads) {
  const training::TeacherSettings& settings = config.train.teacher;
  if (settings.file.empty()) return std::nullopt;
  const bool is_checkpoint = settings.file.ends_with(".safetensors");
  const Matrix<float> logits =
      is_checkpoint ? logits_of_checkpoint(config, experiment, threads)
                    : training::read_teacher_logits(settings, experiment.data.train.count(), experiment.classes());
  const std::string bytes = read_text(settings.file);
  return training::Teacher(logits, settings, checksum_of(std::as_bytes(std::span(bytes))));
}

}  // namespace firn::study
