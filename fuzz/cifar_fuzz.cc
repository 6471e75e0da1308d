// CIFAR-10 batches: the first byte says how much of the last record is cut, the rest fills the records.
#include "firn/data/sources/cifar.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    if (bytes.empty()) return;
    // Whole records are larger than the inputs a fuzzer likes, so the bytes are repeated up to their length.
    const std::size_t records = 1 + bytes.size() % 3;
    std::string batch;
    while (batch.size() < records * kCifarRecord) batch += bytes;
    const auto cut = static_cast<unsigned char>(bytes[0]) % 4;
    batch.resize(records * kCifarRecord - cut);
    Matrix<std::uint8_t> images(records, kCifarPixels);
    std::vector<std::uint16_t> labels(records);
    parse_cifar_batch(batch, "fuzz", images, labels, 0);
    for (std::uint16_t label : labels) FIRN_CHECK(label < 10 && cut == 0);
  });
}
