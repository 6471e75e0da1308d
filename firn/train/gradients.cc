#include "firn/train/gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace firn::training {

LogitGradients::LogitGradients(const Model& model) : model_(model) {
  std::size_t most = 0;
  for (const Neurons* group : model.neurons()) most = std::max(most, (group->count() + kRowBlock - 1) / kRowBlock);
  partial_.resize(most);
}

void LogitGradients::assign(const std::vector<Matrix<float>>& scores, std::span<const float> temperatures) {
  scores_ = &scores;
  temperatures_ = temperatures;
  scale_ = 1;
}

double LogitGradients::norm(Threads& threads) {
  double total = 0;
  const auto neurons = model_.neurons();
  for (std::size_t g = 0; g < neurons.size(); ++g) {
    for_each_block(neurons[g]->count(), threads, [&](std::size_t first, std::size_t count) {
      partial_[first / kRowBlock] = squared_gradient(count, rows(g, first));
    });
    // Blocks are added in their order, whichever thread made them.
    const std::size_t blocks = (neurons[g]->count() + kRowBlock - 1) / kRowBlock;
    const double squares =
        std::accumulate(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(blocks), 0.0);
    total += squares / (static_cast<double>(temperatures_[g]) * temperatures_[g]);
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
