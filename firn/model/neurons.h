// A named set of neurons: sixteen logits each, their mixture weights of the current step, and which are frozen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/random.h"
#include "firn/base/state.h"
#include "firn/base/threads.h"
#include "firn/kernels/mixture.h"
#include "firn/logic/gate.h"

namespace firn::model {

inline constexpr std::int8_t kNotFrozen = -1;

// Rows that go from kernel to kernel together, so that they are still in L1: 8 KB of weights, as much of scores.
inline constexpr std::size_t kRowChunk = 128;
using RowNumbers = std::array<std::uint32_t, kRowChunk>;

// How logits become weights in one step. Training chooses; the default is the plain soft mixture.
struct WeightPlan {
  bool hard = false;                     // forward with the largest slot only
  float forward_temperature = 1;         // of the soft forward
  float backward_temperature = 1;        // of the softmax that gradients pass through
  const Matrix<float>* noise = nullptr;  // [neurons][16] added to the logits, or null
};

struct Neurons {
  Neurons(std::string name, std::size_t count, bool convolutional);

  std::size_t count() const { return frozen.size(); }
  std::size_t frozen_count() const;
  bool all_frozen() const { return frozen_count() == count(); }
  bool has_opcodes() const { return !opcodes.empty(); }

  // The gate that slot `slot` of neuron `i` stands for: its opcode where slots have opcodes, else the slot number.
  Gate gate(std::size_t i, std::size_t slot) const {
    return static_cast<Gate>(has_opcodes() ? opcodes[i * kSlots + slot] : slot);
  }

  // The slot that counts when the network is made discrete: frozen, or the largest logit (lowest index wins ties).
  std::vector<std::uint8_t> chosen_slots() const;

  // A step begins: makes room for backward_weights where the plan needs them.
  void begin_update(const WeightPlan& plan);
  // Fills rows [first, first + count), a chunk at most, of forward_weights and, where they differ, of backward_weights.
  // Frozen rows are one-hot in both, and are left alone where they have been written before. Returns the rows that were
  // written, numbered from `first`.
  RowList update_weights(const WeightPlan& plan, std::size_t first, std::size_t count, RowNumbers& room);

  // The rows of a chunk that are not frozen, numbered from `first`.
  RowList relaxed_rows(std::size_t first, std::size_t count, RowNumbers& room) const;

  // All rows count as new: whoever has taken over weights of frozen rows no longer has them where they belong.
  void forget_settled();

  // The softmax weights that logit gradients use.
  const Matrix<float>& gradient_weights() const { return separate_backward ? backward_weights : forward_weights; }

  void visit_state(StateVisitor& visitor);
  void check_state() const;  // throws Error where a loaded slot or gate is none of the sixteen

  std::string name;
  bool convolutional;                 // one neuron acts at many positions; the default freeze scope
  Matrix<float> logits;               // [count][16]
  std::vector<std::int8_t> frozen;    // [count] the slot a neuron is frozen to, or kNotFrozen
  std::vector<std::uint8_t> opcodes;  // [count][16] gates of the slots; empty where slot k is gate k
  Matrix<float> forward_weights;      // [count][16]
  Matrix<float> backward_weights;     // [count][16] allocated when a plan first needs it
  bool separate_backward = false;

 private:
  void mix_rows(const WeightPlan& plan, std::size_t first, const RowList& rows);

  std::vector<std::int8_t> settled_;  // [count] the slot whose one-hot row stands in the weights, or kNotFrozen
};

// Deterministic: slot 3 ("a") gets `residual`, all other logits 0.
void initialize_residual(Neurons& neurons, float residual);
// Independent normal logits with mean 0 and variance 1.
void initialize_gaussian(Neurons& neurons, RandomSequence& random);

inline constexpr std::size_t kRowBlock = 1024;

// Calls body(first, count) for consecutive chunks of rows [first, first + count).
template <class Body>
void for_each_chunk(std::size_t first, std::size_t count, const Body& body) {
  for (std::size_t i = 0; i < count; i += kRowChunk) body(first + i, std::min(kRowChunk, count - i));
}

// Calls body(first, count) for consecutive blocks of at most kRowBlock rows, in parallel.
template <class Body>
void for_each_block(std::size_t rows, Threads& threads, const Body& body) {
  threads.for_each((rows + kRowBlock - 1) / kRowBlock, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kRowBlock;
    body(first, rows - first < kRowBlock ? rows - first : kRowBlock);
  });
}

}  // namespace firn::model
