// Checkpoints as far as they are read before a model is built: header, metadata and encoder.
#include "firn/train/checkpoint.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    const Checkpoint checkpoint = Checkpoint::parse(SafetensorsFile::parse({first, first + bytes.size()}, "fuzz"));
    const Encoder encoder = checkpoint.encoder();
    FIRN_CHECK(encoder.output_shape().size() > 0);
  });
}
