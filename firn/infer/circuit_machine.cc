#include "firn/infer/circuit_machine.h"

#include <utility>

namespace firn::infer {

namespace {

class CircuitRunner final : public Runner {
 public:
  CircuitRunner(const CircuitMachine& machine, std::size_t words)
      : Runner(make_bit_rows(machine.counted().groups() * machine.counted().planes(), words)),
        machine_(machine),
        rows_(make_bit_rows(machine.rows(), words)) {}

  Matrix<std::uint64_t>& input() override { return rows_; }
  void run_gates() override { kernels::run_gates(machine_.program(), rows_.cols(), rows_.data()); }
  const std::uint64_t* rows() const override { return rows_.data(); }
  void count() override { machine_.counted().count(rows_.cols(), rows_.data(), counts_.data()); }

 private:
  const CircuitMachine& machine_;
  Matrix<std::uint64_t> rows_;
};

}  // namespace

CircuitMachine::CircuitMachine(const Netlist& netlist, std::size_t groups)
    : schedule_(make_schedule(netlist)), counted_(schedule_.outputs, groups) {
  for (const GateRun& run : schedule_.runs) instructions_ += run.count;
  if (schedule_.rows > 0x10000) return;
  short_rows_.assign(schedule_.instruction_rows.begin(), schedule_.instruction_rows.end());
  std::vector<std::uint32_t>().swap(schedule_.instruction_rows);
}

std::unique_ptr<Runner> CircuitMachine::make_runner(std::size_t words) const {
  return std::make_unique<CircuitRunner>(*this, words);
}

GateProgram CircuitMachine::program() const {
  const bool is_short = schedule_.rows <= 0x10000;
  return {schedule_.runs.data(), schedule_.runs.size(), is_short ? short_rows_.data() : nullptr,
          is_short ? nullptr : schedule_.instruction_rows.data()};
}

}  // namespace firn::infer
