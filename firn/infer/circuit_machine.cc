#include "firn/infer/circuit_machine.h"

#include <algorithm>
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

class WordRunner final : public Runner {
 public:
  explicit WordRunner(const CircuitMachine& machine)
      : Runner(make_bit_rows(machine.counted().groups() * machine.counted().planes(), 1)),
        machine_(machine),
        rows_(make_bit_rows(std::max<std::size_t>(machine.narrow().rows(), 1), 1)) {}

  Matrix<std::uint64_t>& input() override { return rows_; }
  void run_gates() override { run_narrow_gates(machine_.narrow().program(), rows_.data()); }
  const std::uint64_t* rows() const override { return rows_.data(); }
  void count() override { machine_.narrow_counted().count(1, rows_.data(), counts_.data()); }

 private:
  const CircuitMachine& machine_;
  Matrix<std::uint64_t> rows_;
};

class CircuitByteRunner final : public ByteRunner {
 public:
  explicit CircuitByteRunner(const CircuitMachine& machine)
      : ByteRunner(machine.counted().groups()), machine_(machine), rows_(machine.narrow().rows()) {}

  std::span<std::uint8_t> input() override { return std::span(rows_).first(machine_.inputs()); }
  void run_gates() override { run_narrow_gates(machine_.narrow().program(), rows_.data()); }
  void count(std::size_t samples) override { machine_.narrow_counted().count(samples, rows_.data(), counts_.data()); }

 private:
  const CircuitMachine& machine_;
  std::vector<std::uint8_t> rows_;
};

}  // namespace

CircuitMachine::CircuitMachine(const Netlist& netlist, std::size_t groups)
    : CircuitMachine(netlist, cover_gates(netlist), groups) {}

CircuitMachine::CircuitMachine(const Netlist& netlist, const Cover& cover, std::size_t groups)
    : narrow_(netlist, cover),
      narrow_counted_(narrow_.outputs(), groups),
      schedule_(make_schedule(netlist, cover)),
      counted_(schedule_.outputs, groups) {
  for (const GateRun& run : schedule_.runs) instructions_ += run.count;
  if (schedule_.rows > 0x10000) return;
  short_rows_.assign(schedule_.instruction_rows.begin(), schedule_.instruction_rows.end());
  std::vector<std::uint32_t>().swap(schedule_.instruction_rows);
}

std::unique_ptr<Runner> CircuitMachine::make_runner(std::size_t words) const {
  if (words == 1) return std::make_unique<WordRunner>(*this);
  return std::make_unique<CircuitRunner>(*this, words);
}

std::unique_ptr<ByteRunner> CircuitMachine::make_byte_runner() const {
  return std::make_unique<CircuitByteRunner>(*this);
}

GateProgram CircuitMachine::program() const {
  const bool is_short = schedule_.rows <= 0x10000;
  return {schedule_.runs.data(), schedule_.runs.size(), is_short ? short_rows_.data() : nullptr,
          is_short ? nullptr : schedule_.instruction_rows.data()};
}

}  // namespace firn::infer
