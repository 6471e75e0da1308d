// Checkpoints: header, metadata and encoder, and the model itself where samples are small. Its size needs no guard: the
// reader refuses configurations that describe more neurons than the file has logits for.
#include "firn/study/circuit_source.h"
#include "firn/train/checkpoint.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    constexpr std::size_t kSmall = 20000;
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    const Checkpoint checkpoint = Checkpoint::parse(SafetensorsFile::parse({first, first + bytes.size()}, "fuzz"));
    const Encoder encoder = checkpoint.encoder();
    FIRN_CHECK(encoder.output_shape().size() > 0);
    if (encoder.output_shape().size() > kSmall) return;
    const BooleanNetwork network = harden_checkpoint(checkpoint).network;
    FIRN_CHECK(network.outputs() % network.head.groups == 0);
  });
}
