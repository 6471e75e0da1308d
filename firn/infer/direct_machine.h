// Runs a Boolean network layer by layer, without unrolling it: for networks whose netlist would be too large.
#pragma once

#include "firn/infer/machine.h"
#include "firn/network/boolean_network.h"

namespace firn::infer {

class DirectMachine final : public Machine {
 public:
  explicit DirectMachine(const BooleanNetwork& network);  // which must outlive it

  std::size_t inputs() const override { return network_.input.size(); }
  std::size_t gates() const override { return gates_; }
  std::size_t rows() const override { return rows_; }
  const CountedRows& counted() const override { return counted_; }
  std::vector<Wire> outputs() const override;
  std::unique_ptr<Runner> make_runner(std::size_t words) const override;

 private:
  const BooleanNetwork& network_;
  CountedRows counted_;
  std::size_t gates_, rows_;
};

}  // namespace firn::infer
