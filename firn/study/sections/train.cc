#include "firn/base/family.h"
#include "firn/study/sections.h"
#include "firn/train/loss.h"

namespace firn {

void describe(KeyTable& table, TrainSettings& settings) {
  OptimizerSettings& optimizer = settings.optimizer;
  table.section("train", "How it is trained.");
  table.add("train.steps", settings.steps, "Number of steps.", at_least(1));
  table.add("train.batch", settings.batch, "Examples per step.", between(1, 4096));
  table.add("train.shard", settings.shard,
            "Examples that go through the network together, a multiple of 16; part of the last bits of every result.",
            between(16, 256));
  table.add("train.loss", settings.loss, "The loss.", one_of(names_of(losses())));
  table.add("train.learning_rate", optimizer.learning_rate, "Learning rate of Adam.", at_least(0));
  table.add("train.weight_decay", optimizer.weight_decay, "Decoupled weight decay (AdamW); 0 is plain Adam.",
            at_least(0));
  table.add("train.clip", optimizer.clip, "Largest global norm of the gradient; 0 does not clip.", at_least(0));
  table.add("train.beta1", optimizer.beta1, "Adam's decay of the first moment.", between(0, 0.9999999));
  table.add("train.beta2", optimizer.beta2, "Adam's decay of the second moment.", between(0, 0.9999999));
  table.add("train.epsilon", optimizer.epsilon, "Adam's small number in the denominator.", at_least(0));
  table.add("train.temperature", settings.temperature, "Temperature of the softmax over gates.", at_least(1e-3));
  table.add("train.eval_every", settings.eval_every, "Steps between evaluations on the validation part.", at_least(1));
  table.add("train.checkpoint_every", settings.checkpoint_every, "Steps between checkpoints; 0 goes by time only.");
  table.add("train.checkpoint_minutes", settings.checkpoint_minutes,
            "Minutes between checkpoints; 0 goes by steps only.", at_least(0));
  table.add("train.keep_at", settings.keep_at, "Steps whose checkpoints are kept for ever.");
}

}  // namespace firn
