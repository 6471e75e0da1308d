#include "firn/train/optimizer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "firn/kernels/update.h"

namespace firn {

namespace {

// Blocks of rows that tasks take; also the granularity of the norm's partial sums.
std::size_t blocks(std::size_t rows) {
  return (rows + kRowBlock - 1) / kRowBlock;
}

}  // namespace

Optimizer::Optimizer(const Model& model, const OptimizerSettings& settings) : settings_(settings) {
  std::size_t most = 0;
  for (const Neurons* group : model.neurons()) {
    moments_.push_back({group->name, Matrix<float>(group->count(), kSlots), Matrix<float>(group->count(), kSlots)});
    most = std::max(most, blocks(group->count()));
  }
  partial_.resize(most);
}

double Optimizer::gradient_norm(const Model& model, const std::vector<Matrix<float>>& scores,
                                const std::vector<float>& temperatures, Threads& threads) {
  double total = 0;
  const auto neurons = model.neurons();
  for (std::size_t g = 0; g < neurons.size(); ++g) {
    const Neurons& group = *neurons[g];
    const std::size_t count = blocks(group.count());
    threads.for_each(count, [&](std::size_t block, std::size_t) {
      const std::size_t first = block * kRowBlock, rows = std::min(kRowBlock, group.count() - first);
      partial_[block] =
          squared_gradient(rows, group.gradient_weights().row(first), scores[g].row(first), &group.frozen[first]);
    });
    // Blocks are added in their order, whichever thread made them.
    const double squares =
        std::accumulate(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
    total += squares / (static_cast<double>(temperatures[g]) * temperatures[g]);
  }
  return std::sqrt(total);
}

const Neurons* Optimizer::update(Model& model, const std::vector<Matrix<float>>& scores,
                                 const std::vector<float>& temperatures, Threads& threads) {
  double scale = 1;
  if (settings_.clip > 0) {
    const double norm = gradient_norm(model, scores, temperatures, threads);
    scale = std::min(1.0, settings_.clip / (norm + 1e-6));
  }
  const auto count = static_cast<double>(++updates_);
  AdamStep step;
  step.learning_rate = static_cast<float>(settings_.learning_rate);
  step.beta1 = static_cast<float>(settings_.beta1);
  step.beta2 = static_cast<float>(settings_.beta2);
  step.rest1 = static_cast<float>(1 - settings_.beta1);
  step.rest2 = static_cast<float>(1 - settings_.beta2);
  step.epsilon = static_cast<float>(settings_.epsilon);
  step.correction1 = static_cast<float>(1 - std::pow(settings_.beta1, count));
  step.correction2 = static_cast<float>(1 - std::pow(settings_.beta2, count));
  step.decay = static_cast<float>(settings_.weight_decay);
  const Neurons* damaged = nullptr;
  for (std::size_t g = 0; g < model.neurons().size(); ++g) {
    std::atomic<bool> finite = true;
    Neurons& group = *model.neurons()[g];
    step.gradient_scale = static_cast<float>(scale / temperatures[g]);
    threads.for_each(blocks(group.count()), [&](std::size_t block, std::size_t) {
      const std::size_t first = block * kRowBlock, rows = std::min(kRowBlock, group.count() - first);
      if (!adam_rows(step, rows, group.gradient_weights().row(first), scores[g].row(first), &group.frozen[first],
                     group.logits.row(first), moments_[g].first.row(first), moments_[g].second.row(first)))
        finite = false;
    });
    if (!finite && damaged == nullptr) damaged = &group;
  }
  return damaged;
}

void Optimizer::reset_row(std::size_t group, std::size_t row) {
  std::ranges::fill(moments_[group].first[row], 0.f);
  std::ranges::fill(moments_[group].second[row], 0.f);
}

void Optimizer::visit_state(StateVisitor& visitor) {
  visitor.visit("optimizer.updates", std::span(&updates_, 1));
  for (Moments& m : moments_) {
    visitor.visit("optimizer." + m.name + ".first", m.first);
    visitor.visit("optimizer." + m.name + ".second", m.second);
  }
}

}  // namespace firn
