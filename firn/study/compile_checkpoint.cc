#include "firn/study/compile_checkpoint.h"

#include <utility>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/circuit/lower.h"
#include "firn/infer/direct_machine.h"
#include "firn/study/circuit_source.h"

namespace firn::study {

namespace {

constexpr std::size_t kMaxUnrolled = std::size_t{1} << 26;  // gates; a netlist of more takes gigabytes
constexpr std::size_t kStages = 4;

}  // namespace

CompiledCircuit compile_checkpoint(const std::filesystem::path& checkpoint, const CompileParams& params) {
  return compile_model(harden_checkpoint(Checkpoint::read(checkpoint), *params.parts), params);
}

CompiledCircuit compile_model(CircuitModel model, const CompileParams& params) {
  CompiledCircuit compiled{std::move(model), {}, nullptr, 0};
  const BooleanNetwork& network = compiled.model.network;
  if (params.direct || unrolled_gates(network) > kMaxUnrolled) return compiled;
  const auto tell = [&](std::size_t done, std::string_view next) {
    if (params.on_stage) params.on_stage(done, kStages, next);
  };
  const Stopwatch watch;
  Netlist netlist = lower(network);
  tell(1, "simplifying");
  compiled.simplified = simplify(netlist);
  tell(2, "scheduling");
  compiled.machine = std::make_unique<CircuitMachine>(netlist, network.head.groups);
  compiled.seconds = watch.seconds();
  tell(3, "checking");
  FIRN_CHECK(count_alike(*compiled.machine, DirectMachine(network), /*seed=*/1));
  tell(4, "");
  compiled.model.netlist = std::move(netlist);
  return compiled;
}

}  // namespace firn::study
