// Tasks made from a seed: random bits, labelled by parity, by majority or by a random circuit, with noisy labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"
#include "firn/logic/gate.h"

namespace firn::data {

// A circuit of two-input gates that all matter: each depends on both operands and is read by a later gate, and the
// last gate is the output. Wires are numbered inputs first, then gates.
struct TeacherCircuit {
  struct Node {
    Gate gate = Gate::kAnd;
    std::uint32_t a = 0, b = 0;
  };
  std::size_t inputs = 0;
  std::vector<Node> nodes;

  bool operator()(std::span<const std::uint8_t> bits) const;  // [input], nonzero is true
};

// `attempt` selects one of many circuits of the same seed.
TeacherCircuit draw_teacher(std::size_t inputs, std::size_t gates, std::uint64_t seed, std::uint32_t attempt);

// Bytes of both parts, whose rows are padded, and of the numbers by which training examples are split and drawn.
double synthetic_bytes(const SyntheticSettings& settings);

Dataset load_parity(const DataSettings& settings);    // class 1: an odd number of ones
Dataset load_majority(const DataSettings& settings);  // class 1: more ones than zeros
Dataset load_teacher(const DataSettings& settings);   // class 1: the first teacher that is between 1/4 and 3/4 true

}  // namespace firn::data
