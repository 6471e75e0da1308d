// What the kernels of dense slot layers have in common, whether they read packed values or bits.
#if defined(FIRN_KERNELS_SLOT_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_SLOT_DENSE_INL_H_
#undef FIRN_KERNELS_SLOT_DENSE_INL_H_
#else
#define FIRN_KERNELS_SLOT_DENSE_INL_H_
#endif

#include <array>
#include <utility>

#include "firn/kernels/packed-inl.h"
#include "firn/kernels/slot_dense.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kNeuronsAhead = 4;  // how early the rows of a neuron are asked for

// Gate = constant + factor * (a - shift_a) * (b - shift_b), or constant + factor * a of the only row it reads.
// Shifts are those of unpacked values.
struct GateProduct {
  float shift_a = kExponent, shift_b = kExponent, factor = 0, constant = 0;
};
inline constexpr auto kGateProducts = [] {
  std::array<GateProduct, kGates> table{};
  for (std::size_t g = 0; g < kGates; ++g) {
    const auto& [c0, ca, cb, cab] = kGateTerms[g];
    if (cab != 0)
      table[g] = {kExponent - kPackedOne * cb / cab, kExponent - kPackedOne * ca / cab, cab, c0 - ca * cb / cab};
    else
      table[g] = {kExponent, kExponent, ca + cb, c0};
  }
  return table;
}();

// The slots of one neuron that count: all, or the one that it is frozen to.
struct LiveSlots {
  const std::uint32_t* rows;
  const std::uint8_t* codes;
  const float* weights;
  std::size_t pairs, singles, constants;

  LiveSlots(const SlotDense& layer, std::size_t n)
      : rows(layer.rows + n * 2 * kSlots),
        codes(layer.codes + n * kSlots),
        weights(layer.weights + n * kSlots),
        pairs(layer.counts[2 * n]),
        singles(layer.counts[2 * n + 1]),
        constants(kSlots - pairs - singles) {
    if (layer.frozen[n] < 0) return;
    std::size_t at = 0;
    while (codes[at] / kSlots != static_cast<std::size_t>(layer.frozen[n])) ++at;
    codes += at;
    rows += at < pairs ? 2 * at : pairs + at;
    const bool reads_pair = at < pairs, reads_one = !reads_pair && at < pairs + singles;
    pairs = reads_pair;
    singles = reads_one;
    constants = !reads_pair && !reads_one;
  }

  std::size_t row_count() const { return 2 * pairs + singles; }
  std::size_t slot(std::size_t i) const { return codes[i] / kSlots; }
  const GateProduct& gate(std::size_t i) const { return kGateProducts[codes[i] % kSlots]; }
  // A frozen slot has the weight 1 whatever the logits say.
  float weight(std::size_t i) const { return weights[slot(i)]; }
};

// A neuron's sixteen sums are one cache line that nobody reads before all shards are done: written past the cache, they
// do not push out rows that are read again and again.
HWY_INLINE void StreamSums(FloatTag d, const float* HWY_RESTRICT products, float* HWY_RESTRICT sums) {
  for (std::size_t i = 0; i < kSlots; i += kLanes) hn::Stream(SumEachOf<kLanes>(d, products + i * kLanes), d, sums + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
