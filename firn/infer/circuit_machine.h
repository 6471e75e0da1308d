// Runs a simplified netlist by its schedule.
#pragma once

#include "firn/infer/machine.h"
#include "firn/infer/narrow_circuit.h"
#include "firn/infer/schedule.h"

namespace firn::infer {

class CircuitMachine final : public Machine {
 public:
  // The netlist is canonical; its outputs are counted in `groups` equal groups.
  CircuitMachine(const Netlist& netlist, std::size_t groups);

  std::size_t inputs() const override { return schedule_.inputs; }
  std::size_t gates() const override { return schedule_.gates; }
  std::size_t rows() const override { return schedule_.rows; }
  const CountedRows& counted() const override { return counted_; }
  std::vector<Wire> outputs() const override { return schedule_.outputs; }
  std::unique_ptr<Runner> make_runner(std::size_t words) const override;
  bool takes_few() const override { return true; }
  std::unique_ptr<ByteRunner> make_byte_runner() const override;

  std::size_t instructions() const { return instructions_; }
  GateProgram program() const;
  const NarrowCircuit& narrow() const { return narrow_; }
  const CountedRows& narrow_counted() const { return narrow_counted_; }

 private:
  CircuitMachine(const Netlist& netlist, const Cover& cover, std::size_t groups);

  NarrowCircuit narrow_;
  CountedRows narrow_counted_;
  Schedule schedule_;
  CountedRows counted_;
  std::vector<std::uint16_t> short_rows_;  // the rows of the instructions where they fit; then the long ones are gone
  std::size_t instructions_ = 0;
};

}  // namespace firn::infer
