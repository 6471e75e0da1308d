#include "firn/kernels/chain.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/chain.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Samples that go through a chain together: the values of all of its gates stay in L1.
constexpr std::size_t kChainBlock = 128;

void ChainForward(const ChainGates& layer, std::size_t samples, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const FloatTag d;
  for (std::size_t n = 0; n < layer.chains; ++n) {
    const std::uint32_t* wires = layer.wires + n * (layer.gates + 1);
    const float* coefficients = layer.coefficients + n * 4 * layer.gates;
    float* to = out + n * samples;
    const float* from = in + wires[0] * samples;
    // Gate after gate over the whole row: coefficients are spread over lanes once, and rows follow each other in
    // memory.
    for (std::size_t g = 0; g < layer.gates; ++g, from = to) {
      const float* b = in + wires[g + 1] * samples;
      for (std::size_t s = 0; s < samples; s += kLanes)
        hn::Store(ApplyGate(d, coefficients + 4 * g, hn::Load(d, from + s), hn::Load(d, b + s)), d, to + s);
    }
  }
}

// Runs the samples [first, first + count) of one chain forward once more, then back, and adds to its sums by lane.
template <bool kInputGradient>
HWY_INLINE void ChainBackwardBlock(const ChainGates& layer, std::size_t n, std::size_t samples, std::size_t first,
                                   std::size_t count, const float* HWY_RESTRICT in, const float* HWY_RESTRICT grad_out,
                                   float* HWY_RESTRICT grad_in, float* HWY_RESTRICT lane_sums) {
  const FloatTag d;
  HWY_ALIGN float a[kMaxChainGates * kChainBlock];  // [gates][kChainBlock] what each gate reads from the one before
  HWY_ALIGN float up[kChainBlock];                  // the gradient of what the gate writes
  const std::uint32_t* wires = layer.wires + n * (layer.gates + 1);
  const float* coefficients = layer.coefficients + n * 4 * layer.gates;
  const float* start = in + wires[0] * samples + first;
  for (std::size_t s = 0; s < count; s += kLanes) hn::Store(hn::Load(d, start + s), d, a + s);
  for (std::size_t g = 0; g + 1 < layer.gates; ++g) {
    const float* b = in + wires[g + 1] * samples + first;
    const float* from = a + g * kChainBlock;
    for (std::size_t s = 0; s < count; s += kLanes)
      hn::Store(ApplyGate(d, coefficients + 4 * g, hn::Load(d, from + s), hn::Load(d, b + s)), d,
                a + (g + 1) * kChainBlock + s);
  }
  const float* root = grad_out + n / layer.grad_run * samples + first;
  for (std::size_t s = 0; s < count; s += kLanes) hn::Store(hn::Load(d, root + s), d, up + s);
  for (std::size_t g = layer.gates; g-- > 0;) {
    const float* c = coefficients + 4 * g;
    const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
    const std::size_t row = wires[g + 1] * samples + first;
    float* sums = lane_sums + 4 * g * kLanes;
    FloatVec s0 = hn::Load(d, sums), sa = hn::Load(d, sums + kLanes);
    FloatVec sb = hn::Load(d, sums + 2 * kLanes), sab = hn::Load(d, sums + 3 * kLanes);
    for (std::size_t s = 0; s < count; s += kLanes) {
      const FloatVec grad = hn::Load(d, up + s), va = hn::Load(d, a + g * kChainBlock + s),
                     vb = hn::Load(d, in + row + s);
      const FloatVec grad_a = hn::Mul(grad, va);
      s0 = hn::Add(s0, grad);
      sa = hn::Add(sa, grad_a);
      sb = hn::MulAdd(grad, vb, sb);
      sab = hn::MulAdd(grad_a, vb, sab);
      if constexpr (kInputGradient) AddTo(d, hn::Mul(grad, hn::MulAdd(cab, va, cb)), grad_in + row + s);
      hn::Store(hn::Mul(grad, hn::MulAdd(cab, vb, ca)), d, up + s);
    }
    hn::Store(s0, d, sums);
    hn::Store(sa, d, sums + kLanes);
    hn::Store(sb, d, sums + 2 * kLanes);
    hn::Store(sab, d, sums + 3 * kLanes);
  }
  if constexpr (kInputGradient) {
    for (std::size_t s = 0; s < count; s += kLanes)
      AddTo(d, hn::Load(d, up + s), grad_in + wires[0] * samples + first + s);
  }
}

template <bool kInputGradient>
void ChainBackwardRows(const ChainGates& layer, std::size_t samples, const float* in, const float* grad_out,
                       float* grad_in, float* HWY_RESTRICT sums) {
  const FloatTag d;
  constexpr std::size_t kSums = 4 * (kMaxChainGates + 1);  // a multiple of the lanes
  HWY_ALIGN float lane_sums[kSums * kLanes];
  HWY_ALIGN float total[kSums];
  const std::size_t used = (4 * layer.gates + 15) / 16 * 16;
  for (std::size_t n = 0; n < layer.chains; ++n) {
    for (std::size_t i = 0; i < used * kLanes; i += kLanes) hn::Store(hn::Zero(d), d, lane_sums + i);
    for (std::size_t first = 0; first < samples; first += kChainBlock)
      ChainBackwardBlock<kInputGradient>(layer, n, samples, first, HWY_MIN(kChainBlock, samples - first), in, grad_out,
                                         grad_in, lane_sums);
    SumEach(d, lane_sums, used, total);
    for (std::size_t i = 0; i < 4 * layer.gates; ++i) sums[n * 4 * layer.gates + i] = total[i];
  }
}

void ChainBackward(const ChainGates& layer, std::size_t samples, const float* in, const float* grad_out, float* grad_in,
                   float* sums) {
  if (grad_in != nullptr) {
    ChainBackwardRows<true>(layer, samples, in, grad_out, grad_in, sums);
  } else {
    ChainBackwardRows<false>(layer, samples, in, grad_out, grad_in, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(ChainForward);
HWY_EXPORT(ChainBackward);

void chain_forward(const ChainGates& layer, std::size_t samples, const float* in, float* out) {
  FIRN_CHECK(samples % 16 == 0 && layer.gates >= 1 && layer.gates <= kMaxChainGates);
  HWY_DYNAMIC_DISPATCH(ChainForward)(layer, samples, in, out);
}

void chain_backward(const ChainGates& layer, std::size_t samples, const float* in, const float* grad_out,
                    float* grad_in, float* sums) {
  FIRN_CHECK(samples % 16 == 0 && layer.gates >= 1 && layer.gates <= kMaxChainGates);
  HWY_DYNAMIC_DISPATCH(ChainBackward)(layer, samples, in, grad_out, grad_in, sums);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
