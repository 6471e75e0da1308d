// The training loop: steps, hooks, evaluations and checkpoints, resumable bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/threads.h"
#include "firn/data/augment.h"
#include "firn/train/evaluate.h"
#include "firn/train/experiment.h"
#include "firn/train/hook.h"
#include "firn/train/input.h"
#include "firn/train/metrics.h"
#include "firn/train/run_folder.h"
#include "firn/train/settings.h"
#include "firn/train/step.h"

namespace firn::training {

// The trainer prints nothing; whoever runs it listens, and leaves empty what is of no interest.
struct TrainObserver {
  std::function<void(std::uint64_t step, double loss, std::optional<double> discrete_accuracy)> on_step = {};
  std::function<void(const Metrics&)> on_metrics = {};
  std::function<void()> before_checkpoint = {};  // tables that belong to it can be brought to the disk first
  std::function<bool()> cancelled = {};
};

class Trainer {
 public:
  // Hooks act in the given order after every step. `scope` lists the Neurons whose frozen fraction is reported;
  // `best_from` is the first step that may become the best one. Everything passed by reference must outlive this.
  struct Setup {
    TrainSettings settings;
    std::string config;  // the resolved configuration, stored in checkpoints
    std::uint64_t seed = 1;
    std::string augment = "none";
    std::vector<Hook*> hooks = {};
    std::vector<std::size_t> scope = {};
    std::uint64_t best_from = 0;
    std::function<std::uint64_t()> take_resampled = {};  // neurons redrawn since the last call; may be empty
  };
  // All ranks train together and end with the same bits, for any number of them; each calls the same functions. An
  // Error where they differ in what decides bits.
  Trainer(Experiment& experiment, Setup setup, Threads& threads, Ranks& ranks = one_rank());

  // Continues from a checkpoint; refuses one of another model or set of hooks.
  void restore(const Checkpoint& checkpoint);
  // Begins where a checkpoint stands that was made with other hooks: those it does not know stay as they are. Which of
  // its steps was the best does not count any more.
  void fork(const Checkpoint& checkpoint);

  // Trains up to the last step, or until the observer cancels; the folder then holds all that is needed to go on.
  // Without a folder nothing is written; of several ranks one has a folder. One that is cancelled cancels all. True
  // when the run is complete.
  bool run(const RunFolder* folder, const TrainObserver& observer);

  std::uint64_t step() const { return step_; }
  // Training ended before its last step, because the discrete validation loss no longer fell.
  bool is_out_of_patience() const;
  std::uint64_t best_step() const { return best_step_; }  // 0: none yet
  double best_loss() const { return best_loss_; }         // discrete, on the validation set; with patience only

  const Fingerprints& fingerprints() const { return fingerprints_; }  // of data and teacher

  // Puts the best step's network into the model, where the run had no folder and has a best step. Only with patience,
  // which makes that step the result of the run.
  void go_to_best_in_memory();

  // Writes the state as the folder's last checkpoint.
  void save_last(const RunFolder& folder);
  // Writes the state as a checkpoint that stays, whether or not the settings name the step.
  void save_kept(const RunFolder& folder);

  // One step without evaluation or files: forward, backward, update, hooks.
  double train_one_step();

  void visit_state(StateVisitor& visitor) {
    visit_state(visitor, setup_.hooks);
    visit_best_loss(visitor);
  }

 private:
  void visit_state(StateVisitor& visitor, const std::vector<Hook*>& hooks);
  void visit_best_loss(StateVisitor& visitor);  // where it decides
  double learning_rate() const;                 // of the last step
  Metrics measure();
  // Is what was just measured the best so far? Ties go to the later step, which has been trained for longer.
  bool is_best(const Risk& discrete);
  bool chooses_by_loss() const;  // with patience and where values are predicted; else by accuracy
  void keep_best(const RunFolder* folder);
  void save(const std::filesystem::path& path);
  bool is_kept() const;  // the settings name this step
  // Writes the kept checkpoint of this step and the best one again where they are missing or damaged, the best one if
  // this is its step or another sound checkpoint is of its step.
  void replace_lost(const RunFolder& folder);
  CheckpointHeader header() const;
  // Throws an Error that names the rank whose logits differ.
  void check_same_logits();
  void check_finite(double loss, const Neurons* damaged) const;
  void restore(const Checkpoint& checkpoint, const std::vector<Hook*>& hooks);

  Experiment& experiment_;
  Setup setup_;
  Threads& threads_;
  Ranks& ranks_;
  Fingerprints fingerprints_;  // of data and teacher
  Augmenter augmenter_;
  TrainingInput input_;
  BatchStep batch_step_;
  std::unique_ptr<Optimizer> optimizer_;
  LogitGradients gradients_;
  Evaluator evaluator_;
  StepPlan plan_;
  std::vector<float> temperatures_;

  std::uint64_t step_ = 0;
  double loss_ema_ = 0;
  double best_accuracy_ = -1;
  std::uint64_t best_step_ = 0;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::uint64_t stale_ = 0;                // evaluations since the loss was smaller than ever before
  std::vector<std::byte> best_in_memory_;  // checkpoint of the best step, with patience and without a folder
};

}  // namespace firn::training
