// A dense slot layer reads rows at random, and backward it updates their gradients: it is bound by cache misses first
// and by instructions second.
//
// Misses: rows are gathered at sixteen bits, sums and gradients stay in single precision.
//
// Instructions: a true gate is k + c (a - alpha) (b - beta), with alpha and beta among 0, 1/2 and 1. A packed value
// becomes the mantissa of 2^23 + value by one interleaving with the exponent's bits, and subtracting 2^23 + alpha turns
// that into a - alpha, exactly. So unpacking costs one operation beyond what the gate needs, and constants and gates
// that ignore an operand cost next to nothing.
#include "firn/kernels/slot_dense.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/slot_dense.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/slot_dense-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

template <std::size_t kVectors>
HWY_INLINE void MixSlots(FloatTag d, const LiveSlots& slots, std::size_t samples, const PackedValue* HWY_RESTRICT in,
                         FloatVec* HWY_RESTRICT mixed) {
  constexpr float kScale = 1 / kPackedOne;
  FloatVec even[kVectors], odd[kVectors];  // two chains hide the latency of the fused operation
  for (std::size_t v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(d);
  float constant = 0;
  const std::uint32_t* row = slots.rows;
  for (std::size_t i = 0; i < slots.pairs; ++i, row += 2) {
    const GateProduct& gate = slots.gate(i);
    const float weight = slots.weight(i);
    constant += weight * gate.constant;
    const FloatVec factor = hn::Set(d, weight * (gate.factor * kScale * kScale));
    FloatVec a[kVectors], b[kVectors];
    Unpack<kVectors>(d, in + row[0] * samples, a);
    Unpack<kVectors>(d, in + row[1] * samples, b);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const FloatVec left = hn::Mul(factor, hn::Sub(a[v], hn::Set(d, gate.shift_a)));
      even[v] = hn::MulAdd(left, hn::Sub(b[v], hn::Set(d, gate.shift_b)), even[v]);
    }
    for (std::size_t v = 0; v < kVectors; ++v) std::swap(even[v], odd[v]);
  }
  for (std::size_t i = slots.pairs; i < slots.pairs + slots.singles; ++i, ++row) {
    const GateProduct& gate = slots.gate(i);
    const float weight = slots.weight(i);
    constant += weight * gate.constant;
    const FloatVec factor = hn::Set(d, weight * (gate.factor * kScale));
    FloatVec a[kVectors];
    Unpack<kVectors>(d, in + row[0] * samples, a);
    for (std::size_t v = 0; v < kVectors; ++v)
      odd[v] = hn::MulAdd(factor, hn::Sub(a[v], hn::Set(d, kExponent)), odd[v]);
  }
  for (std::size_t i = slots.pairs + slots.singles; i < slots.pairs + slots.singles + slots.constants; ++i)
    constant += slots.weight(i) * slots.gate(i).constant;
  for (std::size_t v = 0; v < kVectors; ++v) mixed[v] = hn::Add(hn::Add(even[v], odd[v]), hn::Set(d, constant));
}

template <bool kPackedOut>
void SlotDenseForwardRows(const SlotDense& layer, std::size_t samples, const PackedValue* HWY_RESTRICT in,
                          float* HWY_RESTRICT out, PackedValue* HWY_RESTRICT packed_out) {
  const FloatTag d;
  for (std::size_t n = 0; n < layer.neurons; ++n) {
    if (n + kNeuronsAhead < layer.neurons) {
      const LiveSlots next(layer, n + kNeuronsAhead);
      for (std::size_t i = 0; i < next.row_count(); ++i)
        PrefetchRow(in + next.rows[i] * samples, samples * sizeof(PackedValue));
    }
    const LiveSlots slots(layer, n);
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      FloatVec mixed[vectors];
      MixSlots<vectors>(d, slots, samples, in + s, mixed);
      if constexpr (kPackedOut) {
        Pack<vectors>(d, mixed, packed_out + n * samples + s);
      } else {
        for (std::size_t v = 0; v < vectors; ++v) hn::Store(mixed[v], d, out + n * samples + s + v * kLanes);
      }
    });
  }
}

void SlotDenseForward(const SlotDense& layer, std::size_t samples, const PackedValue* in, float* out,
                      PackedValue* packed_out) {
  if (packed_out != nullptr) {
    SlotDenseForwardRows<true>(layer, samples, in, out, packed_out);
  } else {
    SlotDenseForwardRows<false>(layer, samples, in, out, packed_out);
  }
}

// One block of samples of one neuron: adds to the gradients of its rows and, over blocks, to products [16][kLanes]
// by slot, whose lanes sum up to the gradients of the weights.
template <bool kInputGradient, std::size_t kVectors>
HWY_INLINE void SlotsBackward(FloatTag d, const LiveSlots& slots, std::size_t samples,
                              const PackedValue* HWY_RESTRICT in, const float* HWY_RESTRICT grad_out, float* grad_in,
                              bool is_first, float* HWY_RESTRICT products) {
  constexpr float kScale = 1 / kPackedOne;
  FloatVec up[kVectors], scaled[kVectors];  // scaled: times an unpacked difference gives true units
  for (std::size_t v = 0; v < kVectors; ++v) {
    up[v] = hn::Load(d, grad_out + v * kLanes);
    scaled[v] = hn::Mul(up[v], hn::Set(d, kScale));
  }
  FloatVec total = up[0];
  for (std::size_t v = 1; v < kVectors; ++v) total = hn::Add(total, up[v]);
  const auto finish = [&](std::size_t i, FloatVec product) HWY_ATTR {
    float* to = products + slots.slot(i) * kLanes;
    product = hn::MulAdd(hn::Set(d, slots.gate(i).constant), total, product);
    hn::Store(is_first ? product : hn::Add(product, hn::Load(d, to)), d, to);
  };
  const std::uint32_t* row = slots.rows;
  for (std::size_t i = 0; i < slots.pairs; ++i, row += 2) {
    const GateProduct& gate = slots.gate(i);
    const std::size_t row_a = row[0] * samples, row_b = row[1] * samples;
    const FloatVec shift_a = hn::Set(d, gate.shift_a), shift_b = hn::Set(d, gate.shift_b);
    FloatVec a[kVectors], b[kVectors], product = hn::Zero(d);
    Unpack<kVectors>(d, in + row_a, a);
    Unpack<kVectors>(d, in + row_b, b);
    const FloatVec factor = hn::Set(d, slots.weight(i) * gate.factor);
    for (std::size_t v = 0; v < kVectors; ++v) {
      a[v] = hn::Sub(a[v], shift_a);
      b[v] = hn::Mul(scaled[v], hn::Sub(b[v], shift_b));
      product = hn::MulAdd(a[v], b[v], product);
      if constexpr (kInputGradient) {
        // One after the other: both operands may be the same row.
        float *to_a = grad_in + row_a + v * kLanes, *to_b = grad_in + row_b + v * kLanes;
        hn::Store(hn::MulAdd(factor, b[v], hn::Load(d, to_a)), d, to_a);
        hn::Store(hn::MulAdd(factor, hn::Mul(scaled[v], a[v]), hn::Load(d, to_b)), d, to_b);
      }
    }
    finish(i, hn::Mul(product, hn::Set(d, gate.factor * kScale)));
  }
  const std::size_t reading = slots.pairs + slots.singles;
  for (std::size_t i = slots.pairs; i < reading; ++i, ++row) {
    const GateProduct& gate = slots.gate(i);
    const std::size_t row_a = row[0] * samples;
    FloatVec a[kVectors], product = hn::Zero(d);
    Unpack<kVectors>(d, in + row_a, a);
    const FloatVec factor = hn::Set(d, slots.weight(i) * gate.factor);
    for (std::size_t v = 0; v < kVectors; ++v) {
      product = hn::MulAdd(scaled[v], hn::Sub(a[v], hn::Set(d, kExponent)), product);
      if constexpr (kInputGradient) {
        float* to = grad_in + row_a + v * kLanes;
        hn::Store(hn::MulAdd(factor, up[v], hn::Load(d, to)), d, to);
      }
    }
    finish(i, hn::Mul(product, hn::Set(d, gate.factor)));
  }
  for (std::size_t i = reading; i < reading + slots.constants; ++i) finish(i, hn::Zero(d));
}

template <bool kInputGradient>
void SlotDenseBackwardRows(const SlotDense& layer, std::size_t samples, const PackedValue* HWY_RESTRICT in,
                           const float* HWY_RESTRICT grad_out, float* grad_in, float* HWY_RESTRICT grad_weights) {
  const FloatTag d;
  HWY_ALIGN float products[kSlots * kLanes];
  for (std::size_t n = 0; n < layer.neurons; ++n) {
    if (n + kNeuronsAhead < layer.neurons) {
      const LiveSlots next(layer, n + kNeuronsAhead);
      for (std::size_t i = 0; i < next.row_count(); ++i) {
        PrefetchRow(in + next.rows[i] * samples, samples * sizeof(PackedValue));
        if constexpr (kInputGradient) PrefetchRow(grad_in + next.rows[i] * samples, samples * sizeof(float));
      }
    }
    const bool is_frozen = layer.frozen[n] >= 0;
    if (is_frozen && !kInputGradient) continue;
    const LiveSlots slots(layer, n);
    const float* up = grad_out + n / layer.grad_run * samples;
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      SlotsBackward<kInputGradient, vectors>(d, slots, samples, in + s, up + s, kInputGradient ? grad_in + s : nullptr,
                                             s == 0, products);
    });
    if (!is_frozen) StreamSums(d, products, grad_weights + n * kSlots);
  }
  hwy::FlushStream();
}

void SlotDenseBackward(const SlotDense& layer, std::size_t samples, const PackedValue* in, const float* grad_out,
                       float* grad_in, float* grad_weights) {
  if (grad_in != nullptr) {
    SlotDenseBackwardRows<true>(layer, samples, in, grad_out, grad_in, grad_weights);
  } else {
    SlotDenseBackwardRows<false>(layer, samples, in, grad_out, grad_in, grad_weights);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(SlotDenseForward);
HWY_EXPORT(SlotDenseBackward);

void slot_dense_forward(const SlotDense& layer, std::size_t samples, const PackedValue* in, float* out,
                        PackedValue* packed_out) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(SlotDenseForward)(layer, samples, in, out, packed_out);
}

void slot_dense_backward(const SlotDense& layer, std::size_t samples, const PackedValue* in, const float* grad_out,
                         float* grad_in, float* grad_weights) {
  FIRN_CHECK(samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(SlotDenseBackward)(layer, samples, in, grad_out, grad_in, grad_weights);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
