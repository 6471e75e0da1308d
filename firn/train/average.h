// Averaging of iterates: a moving average of the logits is evaluated and stored in place of the last iterate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/train/hook.h"

namespace firn::training {

// Training itself goes on from the iterate and takes the same steps as without averaging. The window grows with the
// number of steps until `decay` limits it, so that the first evaluations do not show the initial logits. A neuron that
// was drawn anew has other gates than before, and its average starts again.
class LogitAverage final : public Hook {
 public:
  using IsRedrawn = std::function<bool(std::size_t group, std::size_t neuron)>;  // in the last step; may be empty

  LogitAverage(const Model& model, double decay, IsRedrawn is_redrawn, Threads& threads);

  std::string name() const override { return "average"; }
  void on_step(const StepView& step) override;
  void enter_result(Model& model) override { exchange(model); }
  void leave_result(Model& model) override { exchange(model); }
  void visit_state(StateVisitor& visitor) override;

 private:
  void exchange(Model& model);

  double decay_;
  IsRedrawn is_redrawn_;
  Threads& threads_;
  std::uint64_t averaged_ = 0;  // steps
  std::vector<std::string> names_;
  std::vector<Matrix<float>> averages_;  // per Neurons, [neurons][16]; the iterates while the model holds the result
};

}  // namespace firn::training
