// Gumbel noise for the logits of a model: a function of seed and step, one draw per neuron and gate for a whole batch.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/model/model.h"

namespace firn::discretize {

class GumbelNoise {
 public:
  GumbelNoise(const Model& model, std::uint64_t seed, Threads& threads);

  // Fills the noise of a step; nothing needs to be stored to continue a run.
  void draw(std::uint64_t step);
  const Matrix<float>& of_group(std::size_t group) const { return noise_[group]; }  // [neurons][16]

 private:
  std::uint64_t seed_;
  Threads& threads_;
  std::vector<std::uint64_t> streams_;
  std::vector<Matrix<float>> noise_;
};

}  // namespace firn::discretize
