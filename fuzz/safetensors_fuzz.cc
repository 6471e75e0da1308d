// Feeds arbitrary bytes to the safetensors reader: it must refuse them with firn::Error or deliver tensors within them.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    const auto file = firn::SafetensorsFile::parse({bytes, bytes + size}, "fuzz");
    std::size_t total = 0;
    for (const firn::Tensor& tensor : file.tensors()) {
      std::size_t count = 1;
      for (std::size_t dimension : tensor.shape) count *= dimension;
      FIRN_CHECK(tensor.bytes.size() == count * firn::bytes_per(tensor.dtype));
      FIRN_CHECK(&file.tensor(tensor.name) == &tensor);
      total += tensor.bytes.size();
      if (tensor.dtype == firn::DType::kF32) FIRN_CHECK(file.tensor<float>(tensor.name, tensor.shape).size() == count);
    }
    FIRN_CHECK(total <= size);
  } catch (const firn::Error&) {
  }
  return 0;
}
