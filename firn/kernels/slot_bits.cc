// Dense slot layers on bits, which is what frozen layers before them write. A row of 32 samples is four bytes instead
// of a cache line, so that the rows of a whole image stay close, and a gate is a few operations on a word. Results are
// those of the packed rows to the last bit: the same terms, which are exact, are added in the same order.
#include <cstring>

#include "firn/base/error.h"
#include "firn/kernels/slot_dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/slot_bits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/slot_dense-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// (a - alpha) (b - beta) of GateProduct on bits: one of two values, by a gate.
struct ProductOnBits {
  Gate gate = Gate::kA;
  float if_set = 1, if_clear = 0;
};
constexpr auto kProductsOnBits = [] {
  std::array<ProductOnBits, kGates> table{};
  for (std::size_t g = 0; g < kGates; ++g) {
    const auto& [c0, ca, cb, cab] = kGateTerms[g];
    if (cab == 0) continue;
    const float alpha = -cb / cab, beta = -ca / cab;
    const auto product = [=](bool a, bool b) { return (a - alpha) * (b - beta); };
    const auto is_odd_one = [=](bool a, bool b) {
      return alpha == 0.5f ? a == b : (a != (alpha == 1)) && (b != (beta == 1));
    };
    const bool a = alpha != 1, b = beta != 1;  // where the product is not zero
    table[g] = {gate_of(is_odd_one(0, 0), is_odd_one(0, 1), is_odd_one(1, 0), is_odd_one(1, 1)),
                alpha == 0.5f ? 0.25f : product(a, b), alpha == 0.5f ? -0.25f : 0.f};
  }
  return table;
}();

// The bits of kVectors vectors of samples, from a row that starts at the shard's first sample.
template <std::size_t kVectors>
HWY_INLINE std::uint32_t LoadBits(const std::uint8_t* HWY_RESTRICT row, std::size_t s) {
  constexpr std::size_t kBits = kVectors * kLanes;
  std::uint32_t bits = 0;
  std::memcpy(&bits, row + s / 8, kBits < 8 ? 1 : kBits / 8);
  return bits >> s % 8;
}

HWY_INLINE auto MaskOf(FloatTag d, std::uint32_t bits, std::size_t vector) {
  const std::uint32_t shifted = bits >> vector * kLanes;
  std::uint8_t bytes[sizeof(shifted)];
  std::memcpy(bytes, &shifted, sizeof(shifted));
  return hn::LoadMaskBits(d, bytes);
}

struct BitReader {
  const std::uint8_t* first;
  std::size_t row_bytes;

  explicit BitReader(const BitRows& bits)
      : first(reinterpret_cast<const std::uint8_t*>(bits.rows) + bits.first / 8),
        row_bytes(bits.words * sizeof(std::uint64_t)) {}

  const std::uint8_t* row(std::size_t r) const { return first + r * row_bytes; }

  HWY_INLINE void Prefetch(const LiveSlots& slots) const {
    for (std::size_t i = 0; i < slots.row_count(); ++i) hwy::Prefetch(row(slots.rows[i]));
  }
  // Where the product of a pair of rows has its value if_set.
  template <std::size_t kVectors>
  HWY_INLINE std::uint32_t Product(const ProductOnBits& product, const std::uint32_t* rows, std::size_t s) const {
    return static_cast<std::uint32_t>(
        apply(product.gate, LoadBits<kVectors>(row(rows[0]), s), LoadBits<kVectors>(row(rows[1]), s)));
  }
};

template <std::size_t kVectors>
HWY_INLINE void MixSlotBits(FloatTag d, const LiveSlots& slots, const BitReader& in, std::size_t s,
                            FloatVec* HWY_RESTRICT mixed) {
  FloatVec even[kVectors], odd[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(d);
  float constant = 0;
  const std::uint32_t* row = slots.rows;
  for (std::size_t i = 0; i < slots.pairs; ++i, row += 2) {
    const GateProduct& gate = slots.gate(i);
    const ProductOnBits& product = kProductsOnBits[slots.codes[i] % kSlots];
    const float weight = slots.weight(i), factor = weight * gate.factor;
    constant += weight * gate.constant;
    const FloatVec if_set = hn::Set(d, factor * product.if_set), if_clear = hn::Set(d, factor * product.if_clear);
    const std::uint32_t bits = in.Product<kVectors>(product, row, s);
    for (std::size_t v = 0; v < kVectors; ++v)
      even[v] = hn::Add(even[v], hn::IfThenElse(MaskOf(d, bits, v), if_set, if_clear));
    for (std::size_t v = 0; v < kVectors; ++v) std::swap(even[v], odd[v]);
  }
  for (std::size_t i = slots.pairs; i < slots.pairs + slots.singles; ++i, ++row) {
    const GateProduct& gate = slots.gate(i);
    const float weight = slots.weight(i);
    constant += weight * gate.constant;
    const FloatVec factor = hn::Set(d, weight * gate.factor);
    const std::uint32_t bits = LoadBits<kVectors>(in.row(row[0]), s);
    for (std::size_t v = 0; v < kVectors; ++v) odd[v] = hn::Add(odd[v], hn::IfThenElseZero(MaskOf(d, bits, v), factor));
  }
  for (std::size_t i = slots.pairs + slots.singles; i < slots.pairs + slots.singles + slots.constants; ++i)
    constant += slots.weight(i) * slots.gate(i).constant;
  for (std::size_t v = 0; v < kVectors; ++v) mixed[v] = hn::Add(hn::Add(even[v], odd[v]), hn::Set(d, constant));
}

void SlotBitsForward(const SlotDense& layer, std::size_t samples, const BitRows& bits, float* HWY_RESTRICT out,
                     PackedValue* HWY_RESTRICT packed_out) {
  const FloatTag d;
  const BitReader in(bits);
  for (std::size_t n = 0; n < layer.neurons; ++n) {
    if (n + kNeuronsAhead < layer.neurons) in.Prefetch(LiveSlots(layer, n + kNeuronsAhead));
    const LiveSlots slots(layer, n);
    ForVectors(samples, [&](std::size_t s, auto vectors) HWY_ATTR {
      FloatVec mixed[vectors];
      MixSlotBits<vectors>(d, slots, in, s, mixed);
      if (packed_out != nullptr) {
        Pack<vectors>(d, mixed, packed_out + n * samples + s);
      } else {
        for (std::size_t v = 0; v < vectors; ++v) hn::Store(mixed[v], d, out + n * samples + s + v * kLanes);
      }
    });
  }
}

template <std::size_t kVectors>
HWY_INLINE void SlotBitsGradient(FloatTag d, const LiveSlots& slots, const BitReader& in, std::size_t s,
                                 const float* HWY_RESTRICT grad_out, bool is_first, float* HWY_RESTRICT products) {
  FloatVec up[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) up[v] = hn::Load(d, grad_out + v * kLanes);
  FloatVec total = up[0];
  for (std::size_t v = 1; v < kVectors; ++v) total = hn::Add(total, up[v]);
  const auto finish = [&](std::size_t i, FloatVec product) HWY_ATTR {
    float* to = products + slots.slot(i) * kLanes;
    product = hn::MulAdd(hn::Set(d, slots.gate(i).constant), total, product);
    hn::Store(is_first ? product : hn::Add(product, hn::Load(d, to)), d, to);
  };
  const std::uint32_t* row = slots.rows;
  for (std::size_t i = 0; i < slots.pairs; ++i, row += 2) {
    const ProductOnBits& product = kProductsOnBits[slots.codes[i] % kSlots];
    const FloatVec if_set = hn::Set(d, product.if_set), if_clear = hn::Set(d, product.if_clear);
    const std::uint32_t bits = in.Product<kVectors>(product, row, s);
    FloatVec sum = hn::Zero(d);
    for (std::size_t v = 0; v < kVectors; ++v)
      sum = hn::MulAdd(up[v], hn::IfThenElse(MaskOf(d, bits, v), if_set, if_clear), sum);
    finish(i, hn::Mul(sum, hn::Set(d, slots.gate(i).factor)));
  }
  const std::size_t reading = slots.pairs + slots.singles;
  for (std::size_t i = slots.pairs; i < reading; ++i, ++row) {
    const std::uint32_t bits = LoadBits<kVectors>(in.row(row[0]), s);
    FloatVec sum = hn::Zero(d);
    for (std::size_t v = 0; v < kVectors; ++v) sum = hn::Add(sum, hn::IfThenElseZero(MaskOf(d, bits, v), up[v]));
    finish(i, hn::Mul(sum, hn::Set(d, slots.gate(i).factor)));
  }
  for (std::size_t i = reading; i < reading + slots.constants; ++i) finish(i, hn::Zero(d));
}

void SlotBitsBackward(const SlotDense& layer, std::size_t samples, const BitRows& bits,
                      const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_weights) {
  const FloatTag d;
  const BitReader in(bits);
  HWY_ALIGN float products[kSlots * kLanes];
  for (std::size_t n = 0; n < layer.neurons; ++n) {
    if (n + kNeuronsAhead < layer.neurons) in.Prefetch(LiveSlots(layer, n + kNeuronsAhead));
    if (layer.frozen[n] >= 0) continue;
    const LiveSlots slots(layer, n);
    const float* up = grad_out + n / layer.grad_run * samples;
    ForVectors(samples, [&](std::size_t s, auto vectors)
                            HWY_ATTR { SlotBitsGradient<vectors>(d, slots, in, s, up + s, s == 0, products); });
    StreamSums(d, products, grad_weights + n * kSlots);
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(SlotBitsForward);
HWY_EXPORT(SlotBitsBackward);

void slot_bits_forward(const SlotDense& layer, std::size_t samples, const BitRows& in, float* out,
                       PackedValue* packed_out) {
  FIRN_CHECK(samples % 16 == 0 && in.first % 16 == 0);
  HWY_DYNAMIC_DISPATCH(SlotBitsForward)(layer, samples, in, out, packed_out);
}

void slot_bits_backward(const SlotDense& layer, std::size_t samples, const BitRows& in, const float* grad_out,
                        float* grad_weights) {
  FIRN_CHECK(samples % 16 == 0 && in.first % 16 == 0);
  HWY_DYNAMIC_DISPATCH(SlotBitsBackward)(layer, samples, in, grad_out, grad_weights);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
