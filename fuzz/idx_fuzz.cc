// IDX files, plain or gzipped, as images and as labels.
#include "firn/data/files.h"
#include "firn/data/sources/idx.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    constexpr std::size_t kLimit = std::size_t{1} << 20;
    const bool packed = bytes.starts_with("\x1f\x8b");
    const std::string unpacked = packed ? gunzip(bytes, "fuzz", kLimit) : std::string(bytes);
    const IdxArray array = parse_idx(unpacked, "fuzz");
    std::size_t values = 1;
    for (std::size_t axis : array.sizes) values *= axis;
    FIRN_CHECK(values == array.values.size());
    const std::string zeros(array.sizes[0], '\0');
    const IdxArray labels{.name = "labels", .sizes = {array.sizes[0]}, .values = zeros};
    FIRN_CHECK(idx_examples(array, labels, 10).count() == array.sizes[0]);
  });
}
