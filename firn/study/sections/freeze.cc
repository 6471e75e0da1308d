#include "firn/base/family.h"
#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, FreezeSettings& settings, const Parts& parts) {
  table.section("freeze", "Which neurons are committed to a gate during training, and when.");
  table.add("freeze.strategy", settings.strategy, "The strategy.", one_of(names_of(parts.strategies)));
  table.add("freeze.start", settings.start,
            "The last step before the strategy acts; also the first that may be the best.");
  table.add("freeze.scope", settings.scope,
            "What may be frozen: \"conv\", \"all\" or a list of layers; \"auto\" is the convolutions, or without any "
            "all layers "
            "but the last.");
  table.add("freeze.seed", settings.seed, "Seed of the strategy's random choices; 0 takes that of the run.");
  table.section("freeze.task", "TaskFreeze: a moving average of the predicted effect on the loss.");
  table.add("freeze.task.interval", settings.task.interval, "Steps between evaluations.", at_least(1));
  table.add("freeze.task.half_life", settings.task.half_life, "Half-life of the moving average in steps.", at_least(1));
  table.add("freeze.task.patience", settings.task.patience, "Evaluations in a row with a negative average.",
            at_least(1));
  table.add("freeze.task.score", settings.task.score,
            "Which scores count: of the evaluation's own batch, or of every step since the last.",
            one_of({"minibatch", "every-step"}));
  table.add("freeze.task.reset_on_change", settings.task.reset_on_change,
            "Forget the average of a neuron whose largest gate has changed.");
  table.section("freeze.entropy", "Entropy that stands still: for the strategies entropy and layer-entropy.");
  table.add("freeze.entropy.tolerance", settings.entropy.tolerance, "How far entropy may be from its moving average.",
            at_least(0));
  table.add("freeze.entropy.patience", settings.entropy.patience, "Steps in a row that it must be still.", at_least(1));
  table.add("freeze.entropy.ema", settings.entropy.ema, "Decay of the moving average.", between(0, 1));
  table.section("freeze.cage", "Hard forward with an adaptive backward temperature.");
  table.add("freeze.cage.tau_max", settings.cage.tau_max, "Backward temperature without any confidence.",
            at_least(1e-3));
  table.add("freeze.cage.tau_min", settings.cage.tau_min, "Backward temperature at full confidence.", at_least(1e-3));
  table.add("freeze.cage.ema", settings.cage.ema, "Decay of the average confidence.", between(0, 1));
  table.add("freeze.cage.ema_init", settings.cage.ema_init,
            "Where that average starts: at the current confidence, or at 1/16.", one_of({"current", "uniform"}));
  table.add("freeze.cage.scope", settings.cage.scope, "Which neurons have a hard forward.", one_of({"all", "conv"}));
  table.section("freeze.estimator", "The plain estimators hard-st, gumbel-st, soft-gumbel and annealed.");
  table.add("freeze.estimator.temperature", settings.estimator.temperature, "Temperature of the softmax.",
            at_least(1e-3));
  table.add("freeze.estimator.anneal_from", settings.estimator.anneal_from, "First temperature of annealed.",
            at_least(1e-3));
  table.add("freeze.estimator.anneal_to", settings.estimator.anneal_to, "Last temperature of annealed.",
            at_least(1e-3));
  table.section("freeze.refine", "Layers from the input on, each refined as it is frozen.");
  table.add("freeze.refine.until", settings.refine.until,
            "Share of the steps after which everything in scope is frozen, at equal distances from the start.",
            between(0, 1));
  table.add("freeze.refine.every", settings.refine.every,
            "Steps between refinements of what is frozen; 0 refines a layer only when it is frozen.");
  table.add("freeze.refine.finish", settings.refine.finish, "Refine and freeze everything after the last step.");
  table.add("freeze.refine.copies", settings.refine.copies, "Of each training image: itself and augmented ones.",
            at_least(1));
  table.add("freeze.refine.memory", settings.refine.memory, "Gigabytes for the copies.", between(1e-3, 1e6));
}

}  // namespace firn::study
