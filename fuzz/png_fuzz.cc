// PNG images.
#include "firn/data/png_file.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const Picture8 picture = read_png(bytes, "fuzz");
    FIRN_CHECK(picture.values.size() == picture.shape.size());
    FIRN_CHECK(picture.shape.channels >= 1 && picture.shape.channels <= 4);
  });
}
