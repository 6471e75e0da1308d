// Compiled models: what the reader accepts must survive lowering, simplification and a schedule when it is small, and
// its circuit must count as its layers do.
#include <algorithm>

#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/direct_machine.h"
#include "firn/infer/model_file.h"
#include "firn/infer/schedule.h"
#include "fuzz/run_target.h"

namespace {

constexpr std::size_t kSmall = 20000;  // gates, and features of every layer

bool is_small(const firn::BooleanNetwork& network) {
  const auto has_few = [](const firn::BooleanLayer& layer) {
    return firn::RowLayout{layer.wiring.input, layer.wiring.border()}.rows() <= kSmall &&
           layer.wiring.output.size() <= kSmall;
  };
  return std::ranges::all_of(network.layers, has_few) && firn::unrolled_gates(network) <= kSmall;
}

void use(const firn::CircuitModel& model) {
  using namespace firn;
  if (model.network.input.size() > kSmall) return;
  if (model.netlist && model.netlist->gates.size() < kSmall) {
    Netlist netlist = *model.netlist;
    simplify(netlist);
    make_schedule(netlist);
  }
  if (!is_small(model.network)) return;
  Netlist netlist = lower(model.network);
  simplify(netlist);
  const CircuitMachine unrolled(netlist, model.network.head.groups);
  FIRN_CHECK(count_alike(unrolled, DirectMachine(model.network), /*seed=*/1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    use(parse_model(SafetensorsFile::parse({begin, begin + bytes.size()}, "fuzz")));
  });
}
