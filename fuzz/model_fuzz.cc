// Compiled models: what the reader accepts must survive lowering, simplification and a schedule when it is small.
#include "firn/circuit/lower.h"
#include "firn/circuit/simplify.h"
#include "firn/infer/model_file.h"
#include "firn/infer/schedule.h"
#include "fuzz/run_target.h"

namespace {

constexpr std::size_t kSmall = 20000;  // gates and inputs

void use(const firn::CircuitModel& model) {
  using namespace firn;
  if (model.network.input.size() > kSmall) return;
  if (model.netlist && model.netlist->gates.size() < kSmall) {
    Netlist netlist = *model.netlist;
    simplify(netlist);
    make_schedule(netlist);
  }
  if (unrolled_gates(model.network) > kSmall) return;
  Netlist netlist = lower(model.network);
  simplify(netlist);
  FIRN_CHECK(make_schedule(netlist).outputs.size() == netlist.outputs.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    use(parse_model(SafetensorsFile::parse({begin, begin + bytes.size()}, "fuzz")));
  });
}
