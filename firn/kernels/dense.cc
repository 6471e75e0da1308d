#include "firn/kernels/dense.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/dense.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Rows are read in random order: asking for them some neurons early hides the latency of the cache. All lines of a row
// are asked for: backward over six layers of 8,000 gates took 1.1 to 1.25 times as long when only the first was.
constexpr std::size_t kPrefetchAhead = 8;

template <class T>
HWY_INLINE void PrefetchOperands(const DenseGates& gates, std::size_t n, std::size_t samples, const T* rows) {
  if (n >= gates.neurons) return;
  PrefetchRow(rows + gates.wires[2 * n] * samples, samples * sizeof(T));
  PrefetchRow(rows + gates.wires[2 * n + 1] * samples, samples * sizeof(T));
}

// Packed values as they are, that is, times kPackedOne.
template <std::size_t kVectors>
HWY_INLINE void LoadPacked(FloatTag d, const PackedValue* HWY_RESTRICT row, FloatVec* HWY_RESTRICT values) {
  Unpack<kVectors>(d, row, values);
  for (std::size_t v = 0; v < kVectors; ++v) values[v] = hn::Sub(values[v], hn::Set(d, kExponent));
}
constexpr float kScale = 1 / kPackedOne;

template <bool kPackedOut>
void DenseForwardRows(const DenseGates& gates, std::size_t samples, const PackedValue* HWY_RESTRICT in,
                      float* HWY_RESTRICT out, PackedValue* HWY_RESTRICT packed_out) {
  const FloatTag d;
  for (std::size_t n = 0; n < gates.neurons; ++n) {
    PrefetchOperands(gates, n + kPrefetchAhead, samples, in);
    const std::size_t row_a = gates.wires[2 * n] * samples, row_b = gates.wires[2 * n + 1] * samples;
    const float* c = gates.coefficients + 4 * n;
    const float scaled[4] = {c[0], c[1] * kScale, c[2] * kScale, c[3] * kScale * kScale};
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      FloatVec a[vectors], b[vectors];
      LoadPacked<vectors>(d, in + row_a + s, a);
      LoadPacked<vectors>(d, in + row_b + s, b);
      for (std::size_t v = 0; v < vectors; ++v) a[v] = ApplyGate(d, scaled, a[v], b[v]);
      if constexpr (kPackedOut) {
        Pack<vectors>(d, a, packed_out + n * samples + s);
      } else {
        for (std::size_t v = 0; v < vectors; ++v) hn::Store(a[v], d, out + n * samples + s + v * kLanes);
      }
    });
  }
}

void DenseForward(const DenseGates& gates, std::size_t samples, const PackedValue* in, float* out,
                  PackedValue* packed_out) {
  if (packed_out != nullptr) {
    DenseForwardRows<true>(gates, samples, in, out, packed_out);
  } else {
    DenseForwardRows<false>(gates, samples, in, out, packed_out);
  }
}

template <bool kInputGradient>
void DenseBackwardRows(const DenseGates& gates, std::size_t samples, const PackedValue* HWY_RESTRICT in,
                       const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_in, float* HWY_RESTRICT sums) {
  const FloatTag d;
  constexpr std::size_t kTogether = 4;  // neurons whose sixteen sums are added up over lanes in one go
  constexpr float kScales[4] = {1, kScale, kScale, kScale * kScale};
  HWY_ALIGN float partial[4 * kTogether * kLanes] = {};
  HWY_ALIGN float total[4 * kTogether];
  for (std::size_t n = 0; n < gates.neurons; ++n) {
    PrefetchOperands(gates, n + kPrefetchAhead, samples, in);
    if constexpr (kInputGradient) PrefetchOperands(gates, n + kPrefetchAhead, samples, grad_in);
    const std::size_t row_a = gates.wires[2 * n] * samples, row_b = gates.wires[2 * n + 1] * samples;
    const float* c = gates.coefficients + 4 * n;
    const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3] * kScale);
    const bool trains = gates.frozen == nullptr || gates.frozen[n] < 0;
    const float* up_row = grad_out + n / gates.grad_run * samples;
    FloatVec s0 = hn::Zero(d), sa = s0, sb = s0, sab = s0;
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      FloatVec a[vectors], b[vectors];
      LoadPacked<vectors>(d, in + row_a + s, a);
      LoadPacked<vectors>(d, in + row_b + s, b);
      for (std::size_t v = 0; v < vectors; ++v) {
        const FloatVec up = hn::Load(d, up_row + s + v * kLanes);
        if constexpr (kInputGradient) {
          // One after the other: both operands may be the same row.
          AddTo(d, hn::Mul(up, hn::MulAdd(cab, b[v], ca)), grad_in + row_a + s + v * kLanes);
          AddTo(d, hn::Mul(up, hn::MulAdd(cab, a[v], cb)), grad_in + row_b + s + v * kLanes);
        }
        if (!trains) continue;
        const FloatVec up_a = hn::Mul(up, a[v]);
        s0 = hn::Add(s0, up);
        sa = hn::Add(sa, up_a);
        sb = hn::MulAdd(up, b[v], sb);
        sab = hn::MulAdd(up_a, b[v], sab);
      }
    });
    float* to = partial + n % kTogether * 4 * kLanes;
    hn::Store(s0, d, to);
    hn::Store(sa, d, to + kLanes);
    hn::Store(sb, d, to + 2 * kLanes);
    hn::Store(sab, d, to + 3 * kLanes);
    if (n % kTogether == kTogether - 1 || n + 1 == gates.neurons) {
      SumEach(d, partial, 4 * kTogether, total);
      const std::size_t first = n / kTogether * kTogether;
      for (std::size_t i = 4 * first; i < 4 * (n + 1); ++i) sums[i] = total[i - 4 * first] * kScales[i % 4];
    }
  }
}

void DenseBackward(const DenseGates& gates, std::size_t samples, const PackedValue* in, const float* grad_out,
                   float* grad_in, float* sums) {
  if (grad_in != nullptr) {
    DenseBackwardRows<true>(gates, samples, in, grad_out, grad_in, sums);
  } else {
    DenseBackwardRows<false>(gates, samples, in, grad_out, grad_in, sums);
  }
}

void GroupSumForward(std::size_t groups, std::size_t group_rows, float scale, float offset, std::size_t samples,
                     const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const FloatTag d;
  constexpr std::size_t kRun = 64;  // rows added before they join the total: keeps the rounding of long sums small
  for (std::size_t g = 0; g < groups; ++g) {
    const float* first = in + g * group_rows * samples;
    for (std::size_t s = 0; s < samples; s += kLanes) {
      FloatVec total = hn::Zero(d);
      for (std::size_t start = 0; start < group_rows; start += kRun) {
        const std::size_t end = HWY_MIN(start + kRun, group_rows);
        FloatVec run = hn::Zero(d);
        for (std::size_t r = start; r < end; ++r) run = hn::Add(run, hn::Load(d, first + r * samples + s));
        total = hn::Add(total, run);
      }
      hn::Store(hn::MulAdd(total, hn::Set(d, scale), hn::Set(d, offset)), d, out + g * samples + s);
    }
  }
}

void GroupSumBackward(std::size_t groups, std::size_t group_rows, float scale, std::size_t samples,
                      const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_in) {
  const FloatTag d;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t r = 0; r < group_rows; ++r) {
      float* to = grad_in + (g * group_rows + r) * samples;
      for (std::size_t s = 0; s < samples; s += kLanes) {
        hn::Store(hn::Mul(hn::Load(d, grad_out + g * samples + s), hn::Set(d, scale)), d, to + s);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(DenseForward);
HWY_EXPORT(DenseBackward);
HWY_EXPORT(GroupSumForward);
HWY_EXPORT(GroupSumBackward);

void dense_forward(const DenseGates& gates, std::size_t samples, const PackedValue* in, float* out,
                   PackedValue* packed_out) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(DenseForward)(gates, samples, in, out, packed_out);
}

void dense_backward(const DenseGates& gates, std::size_t samples, const PackedValue* in, const float* grad_out,
                    float* grad_in, float* sums) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(DenseBackward)(gates, samples, in, grad_out, grad_in, sums);
}

void group_sum_forward(std::size_t groups, std::size_t group_rows, float scale, float offset, std::size_t samples,
                       const float* in, float* out) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(GroupSumForward)(groups, group_rows, scale, offset, samples, in, out);
}

void group_sum_backward(std::size_t groups, std::size_t group_rows, float scale, std::size_t samples,
                        const float* grad_out, float* grad_in) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(GroupSumBackward)(groups, group_rows, scale, samples, grad_out, grad_in);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
