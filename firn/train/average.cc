#include "firn/train/average.h"

#include <algorithm>
#include <utility>

namespace firn::training {

LogitAverage::LogitAverage(const Model& model, double decay, IsRedrawn is_redrawn, Threads& threads)
    : decay_(decay), is_redrawn_(std::move(is_redrawn)), threads_(threads) {
  for (const Neurons* neurons : model.neurons()) {
    names_.push_back(neurons->name);
    averages_.emplace_back(neurons->count(), kSlots);
  }
}

void LogitAverage::on_step(const StepView& step) {
  const double steps = static_cast<double>(averaged_++);
  const float keep = static_cast<float>(std::min(decay_, steps / (steps + 10)));
  for (std::size_t g = 0; g < averages_.size(); ++g) {
    const Matrix<float>& logits = step.model.neurons()[g]->logits;
    for_each_block(logits.rows(), threads_, [&](std::size_t first, std::size_t rows) {
      for (std::size_t i = first; i < first + rows; ++i) {
        const float kept = is_redrawn_ && is_redrawn_(g, i) ? 0 : keep;
        float* average = averages_[g].row(i);
        for (std::size_t k = 0; k < kSlots; ++k) average[k] = kept * average[k] + (1 - kept) * logits.row(i)[k];
      }
    });
  }
}

void LogitAverage::exchange(Model& model) {
  if (averaged_ == 0) return;
  for (std::size_t g = 0; g < averages_.size(); ++g) std::swap(model.neurons()[g]->logits, averages_[g]);
}

void LogitAverage::visit_state(StateVisitor& visitor) {
  visitor.visit("average.steps", std::span(&averaged_, 1));
  for (std::size_t g = 0; g < averages_.size(); ++g) visitor.visit("average." + names_[g] + ".iterate", averages_[g]);
}

}  // namespace firn::training
