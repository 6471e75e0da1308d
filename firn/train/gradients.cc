#include "firn/train/gradients.h"

#include <algorithm>
#include <cmath>

namespace firn::training {

LogitGradients::LogitGradients(const Model& model) : model_(model), partial_(model.row_blocks().size()) {}

void LogitGradients::assign(const std::vector<Matrix<float>>& scores, std::span<const float> temperatures) {
  scores_ = &scores;
  temperatures_ = temperatures;
  scale_ = 1;
}

double LogitGradients::norm(Threads& threads) {
  const std::span<const Model::RowBlock> blocks = model_.row_blocks();
  threads.for_each(blocks.size(), [&](std::size_t b, std::size_t) {
    partial_[b] = squared_gradient(blocks[b].count, rows(blocks[b].group, blocks[b].first));
  });
  // Blocks are added in their order, whichever thread made them.
  double total = 0;
  for (std::size_t b = 0; b < blocks.size();) {
    const std::size_t group = blocks[b].group;
    double squares = 0;
    for (; b < blocks.size() && blocks[b].group == group; ++b) squares += partial_[b];
    total += squares / (static_cast<double>(temperatures_[group]) * temperatures_[group]);
  }
  return std::sqrt(total);
}

void LogitGradients::clip(double largest, Threads& threads) {
  scale_ = std::min(1.0, largest / (norm(threads) + 1e-6));
}

GradientRows LogitGradients::rows(std::size_t group, std::size_t first) const {
  const Neurons& neurons = *model_.neurons()[group];
  return {neurons.gradient_weights().row(first), (*scores_)[group].row(first), &neurons.frozen[first],
          static_cast<float>(scale_ / temperatures_[group])};
}

}  // namespace firn::training
