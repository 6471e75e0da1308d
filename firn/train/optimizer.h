// The family of optimizers: each moves the logits of a model along their gradients.
//
// A variant says what it remembers of every logit and how one block of rows moves. Blocks, threads, clipping, frozen
// rows, checkpoints and resets are done here, once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"
#include "firn/train/gradients.h"

namespace firn::training {

struct OptimizerSettings {
  std::string name = "adamw";  // in optimizers()
  double learning_rate = 0.02;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // of adam and adamw
  double momentum = 0.9;                              // of sgd
  double weight_decay = 0;                            // decoupled: logits shrink by the factor 1 - rate * decay
  double clip = 0;                                    // largest global norm of the gradient; 0: none
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update: clips the gradients if the settings say so and moves every row that is not frozen. Returns the first
  // Neurons with a logit that is no longer finite, or null.
  const Neurons* update(Model& model, LogitGradients& gradients, double learning_rate, Threads& threads);

  // The same in parts, for whoever has the gradients of a few rows at a time: start(), then move_rows() for all rows,
  // in any order and several at once, then finish(). Clipping needs all gradients beforehand: then only update() will
  // do.
  bool needs_all_gradients() const { return clip_ > 0; }
  void start(double learning_rate);
  void move_rows(Model& model, const LogitGradients& gradients, const Model::RowBlock& rows);
  const Neurons* finish(const Model& model) const;  // as update()

  // Forgets all about one row; the number of updates stays, as for every other row.
  void reset_row(std::size_t group, std::size_t row);

  std::uint64_t updates() const { return updates_; }
  void visit_state(StateVisitor& visitor);

 protected:
  // `memory` names what is remembered of every logit, a float each, 0 at first; checkpoints use the names.
  Optimizer(const Model& model, const OptimizerSettings& settings, std::vector<std::string> memory);

  // Rows of one Neurons that move together.
  struct Block {
    std::size_t group, first, rows;
    GradientRows gradient;
    float* logits;  // [rows][16]
  };

  // Before the blocks of update number `update` (1, 2, ...).
  virtual void begin(std::uint64_t update, double learning_rate) = 0;
  // Moves the rows of a block that are not frozen. Blocks come in any order and several at once. False when a logit is
  // no longer finite.
  virtual bool move(const Block& block) = 0;

  float* memory(std::size_t which, const Block& block) { return memory_[block.group][which].row(block.first); }

 private:
  double clip_;
  std::vector<std::string> names_;                  // of the memory
  std::vector<std::string> groups_;                 // names of the Neurons
  std::vector<std::vector<Matrix<float>>> memory_;  // [group][which], [neurons][16] each
  std::uint64_t updates_ = 0;
  std::atomic<std::size_t> damaged_ = 0;  // the first Neurons with a logit that is not finite, or their number
};

struct OptimizerEntry {
  std::string_view name;
  std::string_view summary;
  bool decays;  // weight_decay means something
  std::unique_ptr<Optimizer> (*make)(const Model&, const OptimizerSettings&);
};

std::span<const OptimizerEntry> optimizers();
std::unique_ptr<Optimizer> make_optimizer(const Model& model, const OptimizerSettings& settings);

// Throws an Error for an unknown name, and for settings that the named optimizer cannot obey.
void check_settings(const OptimizerSettings& settings);

// One line each in the table.
std::unique_ptr<Optimizer> make_adam(const Model& model, const OptimizerSettings& settings);
std::unique_ptr<Optimizer> make_adamw(const Model& model, const OptimizerSettings& settings);
std::unique_ptr<Optimizer> make_sgd(const Model& model, const OptimizerSettings& settings);

}  // namespace firn::training
