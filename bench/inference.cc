// Times the gates of random dense networks: the engine against a plain interpreter that runs 64 samples at a time.
// Before anything is timed, both must have computed the same outputs.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/infer/benchmark.h"
#include "firn/infer/circuit_machine.h"
#include "firn/kernels/probe.h"

namespace firn {
namespace {

// The yardstick, which stays as it is: one 64-bit word per value, gates in the order of the netlist, a switch for each.
std::uint64_t evaluate(Gate op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case Gate::kAnd:
      return a & b;
    case Gate::kXor:
      return a ^ b;
    default:
      FIRN_CHECK(false);  // simplified netlists have no other gates
      return 0;
  }
}

void interpret(const Netlist& netlist, std::vector<std::uint64_t>& values) {
  const auto value = [&](Wire wire) { return values[wire.node()] ^ (wire.inverted() ? ~std::uint64_t{0} : 0); };
  std::size_t node = netlist.first_gate();
  for (const NetGate& gate : netlist.gates) values[node++] = evaluate(gate.op, value(gate.a), value(gate.b));
}

// A random network, its machine, and random inputs for both ways to run it.
struct Subject {
  explicit Subject(const benchmark::State& state)
      : model(random_dense_circuit(784, 6, static_cast<std::size_t>(state.range(0)), 1)),
        machine(*model.netlist, model.network.head.groups),
        words(kBlockWords),
        runner(machine.make_runner(words)),
        values(model.netlist->nodes()) {
    RandomSequence random(1, "bench");
    for (std::size_t i = 0; i < model.netlist->inputs; ++i)
      for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t word = std::uint64_t{random.next()} << 32 | random.next();
        runner->input().row(i)[w] = word;
        if (w == 0) values[1 + i] = word;
      }
  }

  // The counts of the first 64 samples, plane by plane against the outputs of the interpreter.
  bool agree() {
    interpret(*model.netlist, values);
    runner->run_gates();
    runner->count();
    const std::size_t groups = machine.counted().groups(), planes = machine.counted().planes();
    const std::size_t size = model.netlist->outputs.size() / groups;
    for (std::size_t s = 0; s < 64; ++s)
      for (std::size_t g = 0; g < groups; ++g) {
        std::size_t expected = 0, actual = 0;
        for (std::size_t o = g * size; o < (g + 1) * size; ++o) {
          const Wire output = model.netlist->outputs[o];
          expected += (values[output.node()] >> s & 1) != output.inverted();
        }
        for (std::size_t p = 0; p < planes; ++p) actual |= (runner->counts()[g * planes + p][0] >> s & 1) << p;
        if (actual != expected) return false;
      }
    return true;
  }

  CircuitModel model;
  CircuitMachine machine;
  std::size_t words;
  std::unique_ptr<Runner> runner;
  std::vector<std::uint64_t> values;  // of the interpreter, per node
};

void interpreter_64_bit(benchmark::State& state) {
  Subject subject(state);
  if (!subject.agree()) return state.SkipWithError("the engine differs from the interpreter");
  for (auto _ : state) {
    interpret(*subject.model.netlist, subject.values);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * subject.machine.gates() * 64));
}

void engine(benchmark::State& state) {
  Subject subject(state);
  if (!subject.agree()) return state.SkipWithError("the engine differs from the interpreter");
  for (auto _ : state) subject.runner->run_gates();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * subject.machine.gates() * 64 * subject.words));
}

void nearest_cache(benchmark::State& state) {
  double rate = 0;
  for (auto _ : state) rate = std::max(rate, measure_gate_rate(0.01));
  state.counters["items_per_second"] = 256 * rate;
}

BENCHMARK(interpreter_64_bit)->ArgName("width")->Arg(8000)->Arg(64000)->Unit(benchmark::kMicrosecond);
BENCHMARK(engine)->ArgName("width")->Arg(8000)->Arg(64000)->Unit(benchmark::kMicrosecond);
BENCHMARK(nearest_cache)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn
