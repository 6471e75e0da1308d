#include "firn/infer/direct_machine.h"

#include <algorithm>

#include "firn/circuit/lower.h"
#include "firn/network/evaluate.h"

namespace firn::infer {

namespace {

std::vector<Wire> rows_in_order(std::size_t count) {
  std::vector<Wire> wires;
  for (std::uint32_t r = 0; r < count; ++r) wires.emplace_back(1 + r, false);
  return wires;
}

class DirectRunner final : public Runner {
 public:
  DirectRunner(const BooleanNetwork& network, const CountedRows& counted, std::size_t words)
      : Runner(make_bit_rows(counted.groups() * counted.planes(), words)),
        counted_(counted),
        input_(make_bit_rows(network.input.size(), words)),
        evaluator_(network, words) {}

  Matrix<std::uint64_t>& input() override { return input_; }
  void run_gates() override { outputs_ = evaluator_.run(input_, alone_).data(); }
  const std::uint64_t* rows() const override { return outputs_; }
  void count() override { counted_.count(input_.cols(), outputs_, counts_.data()); }

 private:
  const CountedRows& counted_;
  Threads alone_{1};  // blocks run in parallel, not the parts of one
  Matrix<std::uint64_t> input_;
  BitEvaluator evaluator_;
  const std::uint64_t* outputs_ = nullptr;  // rows of the last layer
};

}  // namespace

DirectMachine::DirectMachine(const BooleanNetwork& network)
    : network_(network),
      counted_(rows_in_order(network.outputs()), network.head.groups),
      gates_(unrolled_gates(network)),
      rows_(network.input.size()) {
  for (const BooleanLayer& layer : network.layers)  // a layer needs its input and its output at once
    rows_ = std::max(rows_, layer.wiring.input.size() + layer.wiring.output.size());
}

std::vector<Wire> DirectMachine::outputs() const {
  return rows_in_order(network_.outputs());
}

std::unique_ptr<Runner> DirectMachine::make_runner(std::size_t words) const {
  return std::make_unique<DirectRunner>(network_, counted_, words);
}

}  // namespace firn::infer
