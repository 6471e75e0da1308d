#include "firn/kernels/pack_rows.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/pack_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

void PackRows(std::size_t rows, std::size_t samples, const float* HWY_RESTRICT in, PackedValue* HWY_RESTRICT out) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows; ++r, in += samples, out += samples) {
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      FloatVec values[vectors];
      for (std::size_t v = 0; v < vectors; ++v) values[v] = hn::Load(d, in + s + v * kLanes);
      Pack<vectors>(d, values, out + s);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(PackRows);

void pack_rows(std::size_t rows, std::size_t samples, const float* in, PackedValue* out) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(PackRows)(rows, samples, in, out);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
