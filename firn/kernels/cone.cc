#include "firn/kernels/cone.h"

#include <hwy/cache_control.h>

#include "firn/base/error.h"
#include "firn/logic/gate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/cone.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BitTag = hn::CappedTag<std::uint64_t, kBlockWords>;
using BitVec = hn::Vec<BitTag>;
constexpr std::size_t kMostNodes = 63;  // 32 taps and 31 gates

HWY_INLINE BitVec GateOf(BitTag d, std::uint8_t number, BitVec a, BitVec b) {
  const std::uint64_t* HWY_RESTRICT m = kGateMasks[number];
  const BitVec without_a = hn::Xor(hn::Set(d, m[0]), hn::And(hn::Set(d, m[2]), b));
  const BitVec with_a = hn::Xor(hn::Set(d, m[1]), hn::And(hn::Set(d, m[3]), b));
  return hn::Xor(without_a, hn::And(a, with_a));
}

// One placement of a unit: where its taps are, and its gates.
struct Placement {
  const std::uint64_t* block;
  const std::uint32_t* rows;    // [taps]
  const std::uint8_t* numbers;  // [gates]
};

HWY_INLINE Placement PlacementOf(const ConeLayer& layer, std::size_t unit, std::size_t output, std::size_t position,
                                 const std::uint64_t* block) {
  return {block, layer.rows + ((unit * layer.outputs + output) * layer.pool + position) * layer.taps,
          layer.numbers + unit * layer.gates};
}

HWY_INLINE BitVec Tap(BitTag d, const Placement& at, std::size_t tap, std::size_t word) {
  return hn::Load(d, at.block + at.rows[tap] * kBlockWords + word);
}

// A whole row in registers: masks of a gate are then loaded once for all its vectors.
constexpr std::size_t kVectors = kBlockWords / hn::MaxLanes(BitTag());
struct Row {
  BitVec part[kVectors];
};

HWY_INLINE Row LoadRow(BitTag d, const std::uint64_t* HWY_RESTRICT from) {
  Row row;
  for (std::size_t i = 0; i < kVectors; ++i) row.part[i] = hn::Load(d, from + i * hn::MaxLanes(d));
  return row;
}

HWY_INLINE void StoreRow(BitTag d, const Row& row, std::uint64_t* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < kVectors; ++i) hn::Store(row.part[i], d, to + i * hn::MaxLanes(d));
}

HWY_INLINE Row OrRows(const Row& a, const Row& b) {
  Row row;
  for (std::size_t i = 0; i < kVectors; ++i) row.part[i] = hn::Or(a.part[i], b.part[i]);
  return row;
}

HWY_INLINE Row GateOfRows(BitTag d, std::uint8_t number, const Row& a, const Row& b) {
  const std::uint64_t* HWY_RESTRICT m = kGateMasks[number];
  const BitVec m0 = hn::Set(d, m[0]), m1 = hn::Set(d, m[1]), m2 = hn::Set(d, m[2]), m3 = hn::Set(d, m[3]);
  Row row;
  for (std::size_t i = 0; i < kVectors; ++i) {
    const BitVec without_a = hn::Xor(m0, hn::And(m2, b.part[i]));
    row.part[i] = hn::Xor(without_a, hn::And(a.part[i], hn::Xor(m1, hn::And(m3, b.part[i]))));
  }
  return row;
}

HWY_INLINE Row TapRow(BitTag d, const Placement& at, std::size_t tap) {
  return LoadRow(d, at.block + at.rows[tap] * kBlockWords);
}

template <int kDepth, int kLevel, int kIndex>
HWY_INLINE Row TreeNode(BitTag d, const Placement& at) {
  constexpr int kGate = (1 << kDepth) - ((1 << kDepth) >> kLevel) + kIndex;
  if constexpr (kLevel == 0) {
    return GateOfRows(d, at.numbers[kGate], TapRow(d, at, 2 * kIndex), TapRow(d, at, 2 * kIndex + 1));
  } else {
    return GateOfRows(d, at.numbers[kGate], TreeNode<kDepth, kLevel - 1, 2 * kIndex>(d, at),
                      TreeNode<kDepth, kLevel - 1, 2 * kIndex + 1>(d, at));
  }
}

HWY_INLINE void FillNodes(BitTag d, const ConeLayer& layer, const Placement& at, std::size_t word,
                          BitVec* HWY_RESTRICT nodes) {
  for (std::size_t t = 0; t < layer.taps; ++t) nodes[t] = Tap(d, at, t, word);
  for (std::size_t g = 0; g < layer.gates; ++g) {
    nodes[layer.taps + g] = GateOf(d, at.numbers[g], nodes[layer.operands[2 * g]], nodes[layer.operands[2 * g + 1]]);
  }
}

template <int kDepth>
HWY_INLINE Row Root(BitTag d, const ConeLayer& layer, const Placement& at) {
  if constexpr (kDepth > 0) {
    (void)layer;
    return TreeNode<kDepth, kDepth - 1, 0>(d, at);
  } else {
    Row root;
    BitVec nodes[kMostNodes];
    for (std::size_t i = 0; i < kVectors; ++i) {
      FillNodes(d, layer, at, i * hn::MaxLanes(d), nodes);
      root.part[i] = nodes[layer.taps + layer.gates - 1];
    }
    return root;
  }
}

template <int kDepth>
HWY_INLINE Row Output(BitTag d, const ConeLayer& layer, std::size_t number, const std::uint64_t* block) {
  Placement at = PlacementOf(layer, number / layer.outputs, number % layer.outputs, 0, block);
  Row value = Root<kDepth>(d, layer, at);
  for (std::size_t p = 1; p < layer.pool; ++p) {
    at.rows += layer.taps;
    value = OrRows(value, Root<kDepth>(d, layer, at));
  }
  return value;
}

template <int kDepth>
void ComputeOfDepth(const ConeLayer& layer, std::size_t first, std::size_t count, std::uint64_t* block) {
  const BitTag d;
  for (std::size_t i = first * layer.outputs; i < (first + count) * layer.outputs; ++i) {
    StoreRow(d, Output<kDepth>(d, layer, i, block), block + (layer.first_row + i) * kBlockWords);
  }
}

// Taps of an output some steps ahead are fetched early: rows lie all over the block, which is larger than the caches.
constexpr std::size_t kAhead = 2;

HWY_INLINE void FetchTaps(const ConeLayer& layer, std::uint32_t number, const std::uint64_t* block) {
  const std::size_t taps = layer.pool * layer.taps;
  const std::uint32_t* rows = layer.rows + number * taps;
  for (std::size_t t = 0; t < taps; ++t) hwy::Prefetch(block + rows[t] * kBlockWords);
}

template <int kDepth>
void RecomputeOfDepth(const ConeLayer& layer, const std::uint32_t* outputs, std::size_t count, std::uint64_t* block,
                      ConeChange& change) {
  const BitTag d;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) FetchTaps(layer, outputs[i + kAhead], block);
    std::uint64_t* row = block + (layer.first_row + outputs[i]) * kBlockWords;
    std::uint64_t* before = change.before + change.count * kBlockWords;
    const Row after = Output<kDepth>(d, layer, outputs[i], block), old = LoadRow(d, row);
    BitVec difference = hn::Zero(d);
    for (std::size_t v = 0; v < kVectors; ++v) {
      difference = hn::Or(difference, hn::Xor(after.part[v], old.part[v]));
    }
    if (hn::AllTrue(d, hn::Eq(difference, hn::Zero(d)))) continue;
    StoreRow(d, old, before);
    StoreRow(d, after, row);
    change.outputs[change.count++] = outputs[i];
  }
}

#define FIRN_BY_DEPTH(function, ...)   \
  switch (layer.depth) {               \
    case 1:                            \
      return function<1>(__VA_ARGS__); \
    case 2:                            \
      return function<2>(__VA_ARGS__); \
    case 3:                            \
      return function<3>(__VA_ARGS__); \
    default:                           \
      return function<0>(__VA_ARGS__); \
  }

void ComputeUnits(const ConeLayer& layer, std::size_t first, std::size_t count, std::uint64_t* block) {
  FIRN_BY_DEPTH(ComputeOfDepth, layer, first, count, block)
}

void RecomputeOutputs(const ConeLayer& layer, const std::uint32_t* outputs, std::size_t count, std::uint64_t* block,
                      ConeChange& change) {
  FIRN_BY_DEPTH(RecomputeOfDepth, layer, outputs, count, block, change)
}

#undef FIRN_BY_DEPTH

// Where the unit's last node follows node n: its Boolean derivative. In a forest that is a product along the path;
// where nodes are read twice, the nodes after it are computed once more with node n inverted.
HWY_INLINE BitVec SensitivityTo(BitTag d, const ConeLayer& layer, const Placement& at, const BitVec* HWY_RESTRICT nodes,
                                std::size_t gate) {
  const std::size_t last = layer.taps + layer.gates - 1;
  const BitVec ones = hn::Not(hn::Zero(d));
  if (layer.readers != nullptr) {
    BitVec product = ones;
    std::size_t g = gate;
    for (std::uint8_t reader; (reader = layer.readers[g]) != kUnread; g = reader / 2) {
      const std::uint64_t* m = kGateMasks[at.numbers[reader / 2]];
      const BitVec other = nodes[layer.operands[reader ^ 1]];
      product = hn::And(product, hn::Xor(hn::Set(d, m[1 + reader % 2]), hn::And(hn::Set(d, m[3]), other)));
    }
    return layer.taps + g == last ? product : hn::Zero(d);
  }
  BitVec changed[kMostNodes];
  for (std::size_t n = 0; n <= last; ++n) changed[n] = nodes[n];
  changed[layer.taps + gate] = hn::Xor(nodes[layer.taps + gate], ones);
  for (std::size_t g = gate + 1; g < layer.gates; ++g) {
    changed[layer.taps + g] =
        GateOf(d, at.numbers[g], changed[layer.operands[2 * g]], changed[layer.operands[2 * g + 1]]);
  }
  return hn::Xor(changed[last], nodes[last]);
}

void FlippedOutputs(const ConeLayer& layer, std::size_t unit, std::size_t gate, const std::uint8_t* flips,
                    std::size_t flip_count, const std::uint64_t* block, std::uint64_t* HWY_RESTRICT flipped) {
  const BitTag d;
  const std::size_t a = layer.operands[2 * gate], b = layer.operands[2 * gate + 1];
  BitVec nodes[kMostNodes], values[16];
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    for (std::size_t w = 0; w < kBlockWords; w += hn::Lanes(d)) {
      for (std::size_t i = 0; i < flip_count; ++i) values[i] = hn::Zero(d);
      for (std::size_t p = 0; p < layer.pool; ++p) {
        const Placement at = PlacementOf(layer, unit, o, p, block);
        FillNodes(d, layer, at, w, nodes);
        const BitVec sensitivity = SensitivityTo(d, layer, at, nodes, gate);
        const BitVec root = nodes[layer.taps + layer.gates - 1];
        for (std::size_t i = 0; i < flip_count; ++i) {
          const BitVec flip = hn::And(sensitivity, GateOf(d, flips[i], nodes[a], nodes[b]));
          values[i] = hn::Or(values[i], hn::Xor(root, flip));
        }
      }
      for (std::size_t i = 0; i < flip_count; ++i) {
        hn::Store(values[i], d, flipped + (i * layer.outputs + o) * kBlockWords + w);
      }
    }
  }
}

void FlipMasks(const ConeLayer& layer, std::size_t unit, const UnitFlip* flips, std::size_t flip_count,
               const std::uint64_t* block, std::uint64_t* HWY_RESTRICT masks) {
  const BitTag d;
  const Placement at = PlacementOf(layer, unit, 0, 0, block);
  BitVec nodes[kMostNodes];
  for (std::size_t w = 0; w < kBlockWords; w += hn::Lanes(d)) {
    FillNodes(d, layer, at, w, nodes);
    std::size_t known = layer.gates;
    BitVec sensitivity = hn::Zero(d);
    for (std::size_t i = 0; i < flip_count; ++i) {
      const std::size_t gate = flips[i].gate;
      if (gate != known) sensitivity = SensitivityTo(d, layer, at, nodes, gate);
      known = gate;
      const BitVec rows =
          GateOf(d, flips[i].flip, nodes[layer.operands[2 * gate]], nodes[layer.operands[2 * gate + 1]]);
      hn::Store(hn::And(sensitivity, rows), d, masks + i * kBlockWords + w);
    }
  }
}

void AddMasked(std::size_t count, const std::uint64_t* HWY_RESTRICT masks, const double* HWY_RESTRICT values,
               double* HWY_RESTRICT sums) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto lane_bit = hn::Shl(hn::Set(du, 1), hn::Iota(du, 0));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < kBlockWords; ++word) {
      const std::uint64_t mask = masks[i * kBlockWords + word];
      if (mask == 0) continue;
      double* to = sums + i * kBlockSamples + 64 * word;
      for (std::size_t s = 0; s < 64; s += hn::Lanes(d)) {
        const auto set = hn::TestBit(hn::Set(du, mask >> s), lane_bit);
        const auto value = hn::IfThenElseZero(hn::RebindMask(d, set), hn::Load(d, values + 64 * word + s));
        hn::Store(hn::Add(hn::Load(d, to + s), value), d, to + s);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(ComputeUnits);
HWY_EXPORT(RecomputeOutputs);
HWY_EXPORT(FlippedOutputs);
HWY_EXPORT(FlipMasks);
HWY_EXPORT(AddMasked);

void compute_units(const ConeLayer& layer, std::size_t first, std::size_t count, std::uint64_t* block) {
  HWY_DYNAMIC_DISPATCH(ComputeUnits)(layer, first, count, block);
}

void recompute_outputs(const ConeLayer& layer, std::span<const std::uint32_t> outputs, std::uint64_t* block,
                       ConeChange& change) {
  HWY_DYNAMIC_DISPATCH(RecomputeOutputs)(layer, outputs.data(), outputs.size(), block, change);
}

void flipped_outputs(const ConeLayer& layer, std::size_t unit, std::size_t gate, std::span<const std::uint8_t> flips,
                     const std::uint64_t* block, std::uint64_t* flipped) {
  FIRN_CHECK(flips.size() <= 16 && gate < layer.gates);
  HWY_DYNAMIC_DISPATCH(FlippedOutputs)(layer, unit, gate, flips.data(), flips.size(), block, flipped);
}

void flip_masks(const ConeLayer& layer, std::size_t unit, std::span<const UnitFlip> flips, const std::uint64_t* block,
                std::uint64_t* masks) {
  FIRN_CHECK(layer.outputs == 1 && layer.pool == 1);
  HWY_DYNAMIC_DISPATCH(FlipMasks)(layer, unit, flips.data(), flips.size(), block, masks);
}

void add_masked(std::size_t count, const std::uint64_t* masks, const double* values, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddMasked)(count, masks, values, sums);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
