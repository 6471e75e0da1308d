#include "firn/base/family.h"
#include "firn/study/sections.h"
#include "firn/train/loss.h"
#include "firn/train/optimizer.h"

namespace firn::study {

void describe(KeyTable& table, TrainSettings& settings) {
  OptimizerSettings& optimizer = settings.optimizer;
  ScheduleSettings& schedule = settings.schedule;
  table.section("train", "How it is trained.");
  table.add("train.steps", settings.steps, "Number of steps.", at_least(1));
  table.add("train.batch", settings.batch, "Examples per step.", between(1, 4096));
  table.add("train.shard", settings.shard,
            "Examples that go through the network together, a multiple of 16; part of the last bits of every result.",
            between(16, 256));
  table.add("train.loss", settings.loss, "The loss.", one_of(loss_names()));
  Allowed weights = at_least(0);
  weights.choices = {"balanced"};
  table.add(
      "train.class_weights", settings.class_weights,
      "What an example of each class counts in the loss: a number per class, or \"balanced\" for weights inverse to "
      "how often classes occur; an empty list counts all alike.",
      weights);
  TeacherSettings& teacher = settings.teacher;
  table.add("train.teacher", teacher.file,
            "A model to learn from besides the labels: a .npy file with a row of logits or probabilities for each "
            "training example, or a checkpoint of a network for the same data; empty: none.");
  table.add("train.teacher_form", teacher.form, "What the .npy file of the teacher holds.",
            one_of({"logits", "probabilities"}));
  table.add("train.teacher_temperature", teacher.temperature,
            "Divides the logits of teacher and network where they are compared.", at_least(0.1));
  table.add("train.teacher_weight", teacher.weight, "Share of the teacher in the loss; the rest is the label's.",
            between(0, 1));
  table.add("train.optimizer", optimizer.name, "The optimizer.", one_of(names_of(optimizers())));
  table.add("train.learning_rate", optimizer.learning_rate, "Learning rate.", at_least(0));
  table.add("train.schedule", schedule.name, "How the learning rate changes with the step.",
            one_of(names_of(schedules())));
  table.add("train.warmup", schedule.warmup,
            "Steps at the beginning in which the learning rate rises to its full height.");
  table.add("train.floor", schedule.floor,
            "Fraction of the learning rate where cosine and linear end and below which step does not fall.",
            between(0, 1));
  table.add("train.step_every", schedule.step_every, "Steps between two falls of the schedule step.", at_least(1));
  table.add("train.step_factor", schedule.step_factor, "What a fall of the schedule step leaves of the learning rate.",
            between(0, 1));
  table.add("train.weight_decay", optimizer.weight_decay,
            "Decoupled weight decay of adamw and sgd; with 0, adamw is plain Adam.", at_least(0));
  table.add("train.clip", optimizer.clip,
            "Largest global norm of the gradient; 0 does not clip. The norm that is compared is 1e-6 larger.",
            at_least(0));
  table.add("train.beta1", optimizer.beta1, "Adam's decay of the first moment.", between(0, 0.9999999));
  table.add("train.beta2", optimizer.beta2, "Adam's decay of the second moment.", between(0, 0.9999999));
  table.add("train.momentum", optimizer.momentum, "Momentum of sgd.", between(0, 0.9999999));
  table.add("train.epsilon", optimizer.epsilon, "Adam's small number in the denominator.", at_least(0));
  table.add("train.temperature", settings.temperature, "Temperature of the softmax over gates.", at_least(1e-3));
  table.add("train.eval_every", settings.eval_every, "Steps between evaluations on the validation set.", at_least(1));
  table.add(
      "train.patience", settings.patience,
      "Evaluations without a smaller discrete validation loss after which training stops; the best of them is then "
      "the result. 0 trains to the last step.");
  table.add("train.checkpoint_every", settings.checkpoint_every, "Steps between checkpoints; 0 goes by time only.");
  table.add("train.checkpoint_minutes", settings.checkpoint_minutes,
            "Minutes between checkpoints; 0 goes by steps only.", at_least(0));
  table.add("train.keep_at", settings.keep_at, "Steps whose checkpoints are kept permanently.");
}

}  // namespace firn::study
