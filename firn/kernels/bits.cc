#include "firn/kernels/bits.h"

#include <algorithm>

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/bits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

using WideTag = hn::CappedTag<std::uint64_t, 8>;
using NarrowTag = hn::CappedTag<std::uint64_t, 2>;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V BitGate(D d, const std::uint64_t* HWY_RESTRICT m, V a, V b) {
  const V without_a = hn::Xor(hn::Set(d, m[0]), hn::And(hn::Set(d, m[2]), b));
  const V with_a = hn::Xor(hn::Set(d, m[1]), hn::And(hn::Set(d, m[3]), b));
  return hn::Xor(without_a, hn::And(a, with_a));
}

template <class D, int kDepth, int kLevel, int kIndex>
HWY_INLINE hn::Vec<D> BitNode(D d, const std::uint64_t* const* HWY_RESTRICT leaves, std::size_t at,
                              const std::uint64_t* const* HWY_RESTRICT masks) {
  constexpr int kFirst = (1 << kDepth) - ((1 << kDepth) >> kLevel);
  if constexpr (kLevel == 0) {
    return BitGate(d, masks[kFirst + kIndex], hn::LoadU(d, leaves[2 * kIndex] + at),
                   hn::LoadU(d, leaves[2 * kIndex + 1] + at));
  } else {
    return BitGate(d, masks[kFirst + kIndex], BitNode<D, kDepth, kLevel - 1, 2 * kIndex>(d, leaves, at, masks),
                   BitNode<D, kDepth, kLevel - 1, 2 * kIndex + 1>(d, leaves, at, masks));
  }
}

template <class D, int kDepth>
void BitConvOfDepth(const BitConv& conv, std::size_t words, const std::uint64_t* HWY_RESTRICT in,
                    std::uint64_t* HWY_RESTRICT out) {
  const D d;
  constexpr int kLeaves = 1 << kDepth, kTreeGates = kLeaves - 1;
  const std::size_t step = static_cast<std::size_t>(conv.pool) * conv.stride;
  for (std::size_t k = 0; k < conv.filters; ++k) {
    const std::uint64_t *leaves[kLeaves], *masks[kTreeGates];
    for (int l = 0; l < kLeaves; ++l) leaves[l] = in + conv.leaves[k * kLeaves + l] * words;
    for (int g = 0; g < kTreeGates; ++g) masks[g] = kGateMasks[conv.gates[k * kTreeGates + g]];
    for (std::size_t y = 0; y < conv.out_height; ++y) {
      for (std::size_t x = 0; x < conv.out_width; ++x) {
        std::uint64_t* to = out + (conv.out_first + k * conv.out_plane + y * conv.out_line + x) * words;
        const std::size_t first = (y * step * conv.in_line + x * step) * words;
        for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
          auto value = BitNode<D, kDepth, kDepth - 1, 0>(d, leaves, first + w, masks);
          if (conv.pool == 2) {
            const std::size_t right = conv.stride * words, below = conv.stride * conv.in_line * words;
            for (const std::size_t offset : {right, below, below + right}) {
              value = hn::Or(value, BitNode<D, kDepth, kDepth - 1, 0>(d, leaves, first + offset + w, masks));
            }
          }
          hn::StoreU(value, d, to + w);
        }
      }
    }
  }
}

template <class D>
void BitConvOfWidth(const BitConv& conv, std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  switch (conv.depth) {
    case 1:
      return BitConvOfDepth<D, 1>(conv, words, in, out);
    case 2:
      return BitConvOfDepth<D, 2>(conv, words, in, out);
    case 3:
      return BitConvOfDepth<D, 3>(conv, words, in, out);
    default:
      return BitConvOfDepth<D, 4>(conv, words, in, out);
  }
}

void BitConvRows(const BitConv& conv, std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  if (words % 8 == 0) {
    BitConvOfWidth<WideTag>(conv, words, in, out);
  } else {
    BitConvOfWidth<NarrowTag>(conv, words, in, out);
  }
}

template <class D>
void BitDenseOfWidth(const BitDense& layer, std::size_t words, const std::uint64_t* HWY_RESTRICT in,
                     std::uint64_t* HWY_RESTRICT out) {
  const D d;
  for (std::size_t n = 0; n < layer.neurons; ++n) {
    const std::uint64_t *a = in + layer.wires[2 * n] * words, *b = in + layer.wires[2 * n + 1] * words;
    const std::uint64_t* masks = kGateMasks[layer.gates[n]];
    for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
      hn::StoreU(BitGate(d, masks, hn::LoadU(d, a + w), hn::LoadU(d, b + w)), d, out + n * words + w);
    }
  }
}

void BitDenseRows(const BitDense& layer, std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  if (words % 8 == 0) {
    BitDenseOfWidth<WideTag>(layer, words, in, out);
  } else {
    BitDenseOfWidth<NarrowTag>(layer, words, in, out);
  }
}

// Bit-sliced counters: plane i holds bit i of the count of every sample. Adding a row ripples its carries upwards.
template <class D>
void CountGroup(std::size_t group_rows, std::size_t words, const std::uint64_t* HWY_RESTRICT rows,
                std::uint32_t* HWY_RESTRICT counts) {
  const D d;
  constexpr std::size_t kPlanes = 32;
  HWY_ALIGN std::uint64_t planes[kPlanes * 8];
  for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
    for (std::uint64_t& word : planes) word = 0;
    std::size_t used = 0;
    for (std::size_t r = 0; r < group_rows; ++r) {
      auto carry = hn::LoadU(d, rows + r * words + w);
      for (std::size_t i = 0;; ++i) {
        if (i == used) ++used;
        const auto plane = hn::Load(d, planes + i * 8);
        hn::Store(hn::Xor(plane, carry), d, planes + i * 8);
        carry = hn::And(plane, carry);
        if (hn::AllTrue(d, hn::Eq(carry, hn::Zero(d)))) break;
      }
    }
    for (std::size_t s = 0; s < 64 * hn::Lanes(d); ++s) {
      std::uint32_t count = 0;
      for (std::size_t i = 0; i < used; ++i)
        count |= static_cast<std::uint32_t>((planes[i * 8 + s / 64] >> (s % 64)) & 1) << i;
      counts[w * 64 + s] = count;
    }
  }
}

void CountBits(std::size_t groups, std::size_t group_rows, std::size_t words, const std::uint64_t* rows,
               std::uint32_t* counts) {
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint64_t* first = rows + g * group_rows * words;
    if (words % 8 == 0) {
      CountGroup<WideTag>(group_rows, words, first, counts + g * words * 64);
    } else {
      CountGroup<NarrowTag>(group_rows, words, first, counts + g * words * 64);
    }
  }
}

void ExpandBits(const std::uint64_t* HWY_RESTRICT row, std::size_t first, std::size_t samples,
                float* HWY_RESTRICT values) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  // Lane i of a vector looks at bit i of the bits broadcast to all lanes.
  const auto lane_bit = hn::Shl(hn::Set(di, 1), hn::Iota(di, 0));
  for (std::size_t s = 0; s < samples; s += kLanes) {
    const std::size_t at = first + s;
    const auto bits = hn::Set(di, static_cast<std::int32_t>((row[at / 64] >> (at % 64)) & 0xffff));
    const auto set = hn::Ne(hn::And(bits, lane_bit), hn::Zero(di));
    hn::Store(hn::IfThenElseZero(hn::RebindMask(d, set), hn::Set(d, 1.f)), d, values + s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(BitConvRows);
HWY_EXPORT(BitDenseRows);
HWY_EXPORT(CountBits);
HWY_EXPORT(ExpandBits);

void bit_conv(const BitConv& conv, std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  FIRN_CHECK(words % 2 == 0 && conv.depth >= 1 && conv.depth <= 4 && (conv.pool == 1 || conv.pool == 2));
  HWY_DYNAMIC_DISPATCH(BitConvRows)(conv, words, in, out);
}

void bit_dense(const BitDense& layer, std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  FIRN_CHECK(words % 2 == 0);
  HWY_DYNAMIC_DISPATCH(BitDenseRows)(layer, words, in, out);
}

void bit_or_pool(std::size_t out_height, std::size_t out_width, std::size_t in_line, std::size_t out_line,
                 std::size_t words, const std::uint64_t* in, std::uint64_t* out) {
  for (std::size_t y = 0; y < out_height; ++y)
    for (std::size_t x = 0; x < out_width; ++x) {
      const std::uint64_t *top = in + (2 * y * in_line + 2 * x) * words, *bottom = top + in_line * words;
      for (std::size_t w = 0; w < words; ++w)
        out[(y * out_line + x) * words + w] = top[w] | top[words + w] | bottom[w] | bottom[words + w];
    }
}

void count_bits(std::size_t groups, std::size_t group_rows, std::size_t words, const std::uint64_t* rows,
                std::uint32_t* counts) {
  FIRN_CHECK(words % 2 == 0);
  HWY_DYNAMIC_DISPATCH(CountBits)(groups, group_rows, words, rows, counts);
}

void expand_bits(const std::uint64_t* row, std::size_t first, std::size_t samples, float* values) {
  FIRN_DCHECK(first % 16 == 0 && samples % 16 == 0);
  HWY_DYNAMIC_DISPATCH(ExpandBits)(row, first, samples, values);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
