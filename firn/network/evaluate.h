// Runs a Boolean network layer by layer on bits, one sample per bit: by kernels where they fit, else gate by gate.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/network/boolean_network.h"

namespace firn::network {

// Keeps the rows between layers, so that repeated calls allocate nothing. The network must outlive it.
class BitEvaluator {
 public:
  // Rows of `words` words: 64 * words samples at a time; words is even, multiples of 8 are fastest.
  BitEvaluator(const BooleanNetwork& network, std::size_t words);

  std::size_t samples() const { return 64 * words_; }

  // Runs all layers on `input` ([feature][words], no border) and returns the rows of the last one.
  const Matrix<std::uint64_t>& run(const Matrix<std::uint64_t>& input, Threads& threads);

  // Rows of the last layer counted by group: counts[group * samples() + sample].
  const std::vector<std::uint32_t>& count(const Matrix<std::uint64_t>& input, Threads& threads);

  // The class with the largest count, the lowest on ties, for every sample; there are at least two groups.
  const std::vector<std::uint16_t>& predict(const Matrix<std::uint64_t>& input, Threads& threads);

 private:
  struct Stage {
    RowLayout in, out;
    std::vector<std::uint32_t> rows;  // [units][taps] input rows at the first placement
    Matrix<std::uint64_t> values;     // [out.rows()][words]
  };

  const BooleanNetwork& network_;
  std::size_t words_;
  Matrix<std::uint64_t> bordered_input_;
  std::vector<Stage> stages_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint16_t> predictions_;
};

}  // namespace firn::network
